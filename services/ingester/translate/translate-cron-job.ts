import type {
  ChildDeleted,
  ChildObserved,
  CronJobDeleted,
  CronJobObserved,
} from '../../../workflows/cron-job/events.ts';
import { findController } from '../../../workflows/kubernetes/controller.ts';
import type { CronJob, Job } from '../../../workflows/kubernetes/objects.ts';
import { withDigest } from '../../adapters/events/event-codec.ts';
import { isUid } from '../../../workflows/kubernetes/uid.ts';
import { mayBeNamed, ownerStreams } from './jobs-of-pod.ts';
import type { LiveSet } from '../live-set/live-set.ts';
import { redactCronJob, redactJob } from '../redaction/redact.ts';
import { TooLargeError } from './errors.ts';
import {
  epochSuffix,
  idSuffix,
  epochField,
  listedSuffix,
  type AnyTranslated,
  type Translated,
  type TranslationScope,
} from './translate.ts';

/** Translates the present version of a CronJob. */
export function translateCronJob(scope: TranslationScope, cronJob: CronJob, time: string): AnyTranslated {
  const { cluster } = scope;
  const { uid, namespace, name, resourceVersion } = cronJob.metadata;
  const content = redactCronJob(cronJob, scope.redaction);
  if (content === null)
    throw new TooLargeError(`the CronJob ${namespace}/${name} is too large for the ledger`);
  const event = withDigest<CronJobObserved>({
    id: `${cluster}/cronjob/${uid}/${resourceVersion}${idSuffix(scope)}`,
    type: 'cronjob.observed',
    source: cluster,
    subject: `${namespace}/${name}`,
    time,
    data: { cluster, cronJobUid: uid, ...content, ...epochField(scope) },
  });
  const entry = { namespace, name, resourceVersion };
  return { events: [event], changes: [{ resource: 'cronjobs', uid, entry }] };
}

/** Translates the deletion of a CronJob. `cronJob` is the last version of the CronJob, when its deletion was seen. */
export function translateCronJobDeletion(
  scope: TranslationScope,
  live: LiveSet,
  uid: string,
  at: { cronJob?: CronJob; resourceVersion: string; time: string },
): AnyTranslated {
  const { cluster } = scope;
  const { cronJob, resourceVersion, time } = at;
  const known = cronJob?.metadata ?? live.cronjobs.get(uid);
  const object = cronJob === undefined ? undefined : redactCronJob(cronJob, scope.redaction)?.object;
  const event = withDigest<CronJobDeleted>({
    id:
      cronJob === undefined
        ? `${cluster}/cronjob/${uid}/gone${epochSuffix(scope)}`
        : `${cluster}/cronjob/${uid}/${resourceVersion}/deleted${idSuffix(scope)}`,
    type: 'cronjob.deleted',
    source: cluster,
    subject: `${known?.namespace ?? ''}/${known?.name ?? ''}`,
    time,
    data: {
      cluster,
      cronJobUid: uid,
      resourceVersion,
      seen: cronJob !== undefined,
      ...(object !== undefined && { object }),
      ...epochField(scope),
    },
  });
  return { events: [event], changes: [{ resource: 'cronjobs', uid, entry: null }] };
}

/** Adds a Job to the streams of its present and its earlier CronJobs (J-9.12). */
export function addChildObserved(
  scope: TranslationScope,
  live: LiveSet,
  job: Job,
  translated: Translated,
  at: { time: string; listedAt: string | undefined },
): AnyTranslated {
  const { cluster } = scope;
  const { uid, resourceVersion } = job.metadata;
  const cronJobs = cronJobUids(scope, live, job);
  if (cronJobs.length === 0) return translated;
  const content = redactJob(job, scope.redaction);
  if (content === null) return translated;
  const { listedAt } = at;
  const events = cronJobs.map((cronJobUid) =>
    withDigest<ChildObserved>({
      id: `${cluster}/job/${uid}/${resourceVersion}/${cronJobUid}${listedSuffix(listedAt)}${idSuffix(scope)}`,
      type: 'job.observed',
      source: cluster,
      subject: cronJobSubject(live, cronJobUid, job.metadata),
      time: at.time,
      data: {
        cluster,
        cronJobUid,
        ...content,
        ...(listedAt !== undefined && { listedAt }),
        ...epochField(scope),
      },
    }),
  );
  const changes = translated.changes.map((change) =>
    change.resource === 'jobs' && change.entry !== null
      ? { ...change, entry: { ...change.entry, cronJobs } }
      : change,
  );
  return { events: [...translated.events, ...events], changes };
}

/**
 * Adds the deletion of a Job to the streams of CronJobs. `job` is the last version of the Job, when the deletion was
 * seen.
 */
export function addChildDeleted(
  scope: TranslationScope,
  live: LiveSet,
  uid: string,
  translated: Translated,
  at: { job?: Job; resourceVersion: string; time: string },
): AnyTranslated {
  const { cluster } = scope;
  const { job, resourceVersion, time } = at;
  const known = job?.metadata ?? live.jobs.get(uid);
  const cronJobs = scope.cronJobs === true ? cronJobStreams(live, uid, job) : [];
  const object = job === undefined ? undefined : redactJob(job, scope.redaction)?.object;
  const events = cronJobs.map((cronJobUid) =>
    withDigest<ChildDeleted>({
      id:
        job === undefined
          ? `${cluster}/job/${uid}/gone/${cronJobUid}${epochSuffix(scope)}`
          : `${cluster}/job/${uid}/${resourceVersion}/deleted/${cronJobUid}${idSuffix(scope)}`,
      type: 'job.deleted',
      source: cluster,
      subject: cronJobSubject(live, cronJobUid, job?.metadata ?? { namespace: known?.namespace ?? '' }),
      time,
      data: {
        cluster,
        cronJobUid,
        childUid: uid,
        childName: known?.name ?? '',
        resourceVersion,
        seen: job !== undefined,
        ...(object !== undefined && { object }),
        ...epochField(scope),
      },
    }),
  );
  return { ...translated, events: [...translated.events, ...events] };
}

function cronJobUids(scope: TranslationScope, live: LiveSet, job: Job): string[] {
  return scope.cronJobs === true ? cronJobStreams(live, job.metadata.uid, job) : [];
}

/**
 * The CronJobs in whose streams a Job is recorded until its deletion: the CronJob that controls the Job, and the
 * CronJobs in whose streams the Job was recorded before. A CronJob controls only Jobs of its own namespace.
 */
function cronJobStreams(live: LiveSet, uid: string, job: Job | undefined): string[] {
  const controller = job === undefined ? undefined : controllingCronJob(live, job);
  return ownerStreams(controller, live.jobs.get(uid)?.cronJobs);
}

/**
 * The UID of the CronJob that controls a Job. The result includes a CronJob that is not known yet, because the core
 * compares again when it knows the CronJob.
 */
function controllingCronJob(live: LiveSet, { metadata }: Job): string | undefined {
  const owner = findController(metadata);
  if (owner?.kind !== 'CronJob' || !owner.apiVersion.startsWith('batch/')) return undefined;
  if (!isUid(owner.uid) || live.jobs.has(owner.uid)) return undefined;
  return mayBeNamed(live.cronjobs.get(owner.uid), metadata.namespace, owner.name) ? owner.uid : undefined;
}

/** The subject of an event about a Job in the stream of a CronJob. */
function cronJobSubject(
  live: LiveSet,
  cronJobUid: string,
  { namespace, ownerReferences }: Pick<Job['metadata'], 'namespace' | 'ownerReferences'>,
): string {
  const known = live.cronjobs.get(cronJobUid);
  const owner = ownerReferences?.find(({ uid }) => uid === cronJobUid)?.name;
  // The name of a CronJob of another namespace is not revealed.
  return `${namespace}/${known?.namespace === namespace ? known.name : (owner ?? '')}`;
}
