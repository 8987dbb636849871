import { terminalCondition } from '../../batch/conditions.ts';
import { plainNumbers } from '../../ledger/plain-numbers.ts';
import { findController } from '../../kubernetes/controller.ts';
import type { CronJob, Job, OwnerReference } from '../../kubernetes/objects.ts';
import type { InEpoch, Unstamped } from '../../ledger/recorded-event.ts';
import type { CronOutcomeRecorded, CronJobDecided, CronJobEvent } from '../events.ts';
import type { ChildFacts, CronFact, CronJobFacts } from '../facts.ts';

/** A ledger record as the core folds it: a fact, a decision or an outcome. */
export type CompactedCron = CronFact | Unstamped<CronJobDecided> | Unstamped<CronOutcomeRecorded>;

/**
 * Converts a ledger record into the fact that is folded and signalled; returns null for records that do not change
 * the state.
 */
export function compact(event: CronJobEvent): CompactedCron | null {
  switch (event.type) {
    case 'cronjob.observed':
      return { ...factOrigin(event), type: event.type, cronJob: cronJobFacts(event.data.object) };
    case 'cronjob.deleted':
      return { ...factOrigin(event), type: event.type, resourceVersion: event.data.resourceVersion };
    case 'job.observed': {
      const { object, cronJobUid, listedAt } = event.data;
      const job = childFacts(object, cronJobUid);
      return {
        ...factOrigin(event),
        type: event.type,
        job: listedAt === undefined ? job : { ...job, listedAt },
      };
    }
    case 'job.deleted':
      return {
        ...factOrigin(event),
        type: event.type,
        uid: event.data.childUid,
        namespace: event.subject.split('/')[0] ?? '',
        resourceVersion: event.data.resourceVersion,
      };
    case 'watch.passed': {
      const { resource, resourceVersion } = event.data;
      return { ...factOrigin(event), type: event.type, resource, resourceVersion };
    }
    case 'request.received': {
      const { id, digest, type, data } = event;
      const { action, by, decisionNumber, broken } = data;
      return { id, digest, type, action, by, decisionNumber, broken };
    }
    case 'cronjob.decided':
    case 'outcome.recorded':
      return event;
    case 'cronjob.folded':
    case 'cronjob.snapshotted':
      return null;
  }
}

/** The id, the digest and the epoch of the event that a fact comes from. */
function factOrigin({ id, digest, data }: FactEvent): Pick<CronFact, 'id' | 'digest' | 'epoch'> {
  return { id, digest, ...(data.epoch !== undefined && { epoch: data.epoch }) };
}

type FactEvent = Extract<CronJobEvent, { data: InEpoch; type: CronFact['type'] }>;

/** Reads a CronJob object. */
export function cronJobFacts({ metadata, spec, status }: CronJob): CronJobFacts {
  const { jobTemplate: _template, ...rest } = spec;
  return {
    uid: metadata.uid,
    namespace: metadata.namespace,
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    generation: plainNumbers(metadata.generation ?? 1),
    createdAt: Date.parse(metadata.creationTimestamp),
    deleting: metadata.deletionTimestamp !== undefined,
    spec: plainNumbers(rest),
    status: status ?? {},
  };
}

/**
 * Reads a Job object. The CronJob is the controller of a Job by kind and UID (B-20); its namespace and name are
 * compared where the CronJob is known (`isChild`).
 */
export function childFacts({ metadata, status = {} }: Job, cronJobUid: string): ChildFacts {
  const { uid, namespace, name, resourceVersion } = metadata;
  const controller = findController(metadata);
  const isOfUid = controller?.uid === cronJobUid && isCronJob(controller);
  const { startTime, completionTime } = status;
  const end = terminalCondition(status)?.type;
  return {
    uid,
    namespace,
    name,
    resourceVersion,
    ...(isOfUid ? { controllerName: controller.name } : { elsewhere: true }),
    ...(end !== undefined && { finished: end === 'Complete' ? 'Complete' : 'Failed' }),
    ...(startTime !== undefined && { startTime }),
    ...(completionTime !== undefined && { completionTime }),
  };
}

/** True for an owner reference to a CronJob. */
function isCronJob({ kind, apiVersion }: OwnerReference): boolean {
  return kind === 'CronJob' && apiVersion.startsWith('batch/');
}

/**
 * True when an owner reference names this CronJob: it counts only in the namespace of its owner, and only with the
 * name of its owner (J-9.12).
 */
export function isChild(
  { namespace, name }: Pick<CronJobFacts, 'namespace' | 'name'>,
  job: Pick<ChildFacts, 'namespace' | 'controllerName'>,
): boolean {
  return job.namespace === namespace && job.controllerName === name;
}
