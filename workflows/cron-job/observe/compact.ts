import { terminalCondition } from '../../job/definitions/conditions.ts';
import { plainNumbers } from '../../job/observe/plain-numbers.ts';
import { controllerOf } from '../../kubernetes/controller.ts';
import type { CronJob, Job } from '../../kubernetes/objects.ts';
import type { Unstamped } from '../../job/events.ts';
import type { CronCommandAnswered, CronJobDecided, CronJobEvent } from '../events.ts';
import type { ChildFacts, CronFact, CronJobFacts } from '../facts.ts';

/** A ledger record as the core folds it: a fact, a decision or an outcome. */
export type CompactedCron = CronFact | Unstamped<CronJobDecided> | Unstamped<CronCommandAnswered>;

/** Converts a ledger record into what is folded and signalled; null for records that do not change the state. */
export function compact(event: CronJobEvent): CompactedCron | null {
  const { id, digest } = event;
  switch (event.type) {
    case 'cronjob.observed':
      return { id, digest, type: event.type, cronJob: cronJobFacts(event.data.object) };
    case 'cronjob.deleted':
      return { id, digest, type: event.type, resourceVersion: event.data.resourceVersion };
    case 'job.observed': {
      const { object, cronJobUid, listedAt } = event.data;
      const job = childFacts(object, cronJobUid);
      return { id, digest, type: event.type, job: listedAt === undefined ? job : { ...job, listedAt } };
    }
    case 'job.deleted':
      return {
        id,
        digest,
        type: event.type,
        uid: event.data.childUid,
        resourceVersion: event.data.resourceVersion,
      };
    case 'watch.passed': {
      const { resource, resourceVersion } = event.data;
      return { id, digest, type: event.type, resource, resourceVersion };
    }
    case 'cronjob.decided':
    case 'command.answered':
      return event;
    case 'cronjob.folded':
      return null;
  }
}

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

/** Reads a Job object; only the UID says whether the CronJob is its controller (B-20). */
export function childFacts({ metadata, status = {} }: Job, cronJobUid: string): ChildFacts {
  const { uid, name, resourceVersion } = metadata;
  const { startTime, completionTime } = status;
  const end = terminalCondition(status)?.type;
  return {
    uid,
    name,
    resourceVersion,
    ...(controllerOf(metadata)?.uid !== cronJobUid && { elsewhere: true }),
    ...(end !== undefined && { finished: end === 'Complete' ? 'Complete' : 'Failed' }),
    ...(startTime !== undefined && { startTime }),
    ...(completionTime !== undefined && { completionTime }),
  };
}
