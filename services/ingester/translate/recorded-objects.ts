import { byKind, streamUid, type LedgerEvent } from '../../../workflows/ledger-event.ts';
import type { CronJobEvent } from '../../../workflows/cron-job/events.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import type { Job } from '../../../workflows/kubernetes/objects.ts';
import type { LiveChange, LiveCronJob, LiveJob, LivePod, LiveSet } from '../live-set/live-set.ts';
import { toLiveJob } from './translate.ts';

/** An object that a stream of the ledger shows. */
export type RecordedObject =
  | { resource: 'jobs'; uid: string; entry: LiveJob }
  | { resource: 'pods'; uid: string; entry: LivePod }
  | { resource: 'cronjobs'; uid: string; entry: LiveCronJob };

/** The objects that events of one cluster show. */
export interface RecordedObjects {
  /** Records an event. The events of a stream must be passed in order. */
  note(event: LedgerEvent): void;
  /** The objects that no later event of the same stream shows as deleted. */
  all(): RecordedObject[];
}

export function createRecordedObjects(): RecordedObjects {
  const objects = new Map<string, RecordedObject>();
  return {
    note(event) {
      const change = byKind(event, {
        // The other events of a placed Job are about Jobs in other clusters.
        PlacedJob: (placed) =>
          placed.type === 'job.observed' || placed.type === 'job.deleted' ? changeByJobEvent(placed) : null,
        Job: changeByJobEvent,
        CronJob: changeByCronJobEvent,
      });
      if (change === null) return;
      const key = `${change.resource}/${change.uid}/${streamUid(event) ?? ''}`;
      if (isPresent(change)) objects.set(key, change);
      else objects.delete(key);
    },
    all: () => [...objects.values()],
  };
}

/**
 * The change that adds an object and the stream of this object to a live set; null when the live set has both the
 * object and the stream.
 */
export function changeToAdd(live: LiveSet, { resource, uid, entry }: RecordedObject): LiveChange | null {
  if (resource === 'cronjobs') return live.cronjobs.has(uid) ? null : { resource, uid, entry };
  if (resource === 'jobs') {
    const known = live.jobs.get(uid);
    if (known === undefined) return { resource, uid, entry };
    const cronJobs = [...new Set([...(known.cronJobs ?? []), ...(entry.cronJobs ?? [])])];
    const isKnown = cronJobs.length === (known.cronJobs ?? []).length;
    return isKnown ? null : { resource, uid, entry: { ...known, cronJobs } };
  }
  const known = live.pods.get(uid);
  if (known === undefined) return { resource, uid, entry };
  const jobs = [...new Set([...known.jobs, ...entry.jobs])];
  return jobs.length === known.jobs.length ? null : { resource, uid, entry: { ...known, jobs } };
}

type ObjectChange = Exclude<LiveChange, { resource: 'position' }>;

function isPresent(change: ObjectChange): change is RecordedObject {
  return change.entry !== null;
}

function changeByJobEvent(event: JobEvent): ObjectChange | null {
  switch (event.type) {
    case 'job.observed':
      return { resource: 'jobs', uid: event.data.jobUid, entry: liveEntry(event.data.object) };
    case 'job.deleted':
      return { resource: 'jobs', uid: event.data.jobUid, entry: null };
    case 'pod.observed': {
      const { uid, namespace, name } = event.data.object.metadata;
      return { resource: 'pods', uid, entry: { namespace, name, ...OLDEST, jobs: [event.data.jobUid] } };
    }
    case 'pod.deleted':
      return { resource: 'pods', uid: event.data.podUid, entry: null };
    case 'job.decided':
    case 'job.folded':
    case 'job.snapshotted':
    case 'awaited-job.observed':
    case 'request.received':
    case 'submission.received':
    case 'job.submitted':
    case 'api-request.audited':
    case 'kubernetes-event.observed':
    case 'job.detached':
    case 'outcome.recorded':
    case 'cluster.connected':
    case 'cluster.gap':
    case 'kubernetes-events.dropped':
    case 'cluster.restored':
    case 'cluster.detached':
    case 'prices.applied':
    case 'node.observed':
    case 'node.deleted':
      return null;
  }
}

function changeByCronJobEvent(event: CronJobEvent): ObjectChange | null {
  switch (event.type) {
    case 'cronjob.observed': {
      const { namespace, name } = event.data.object.metadata;
      return { resource: 'cronjobs', uid: event.data.cronJobUid, entry: { namespace, name, ...OLDEST } };
    }
    case 'cronjob.deleted':
      return { resource: 'cronjobs', uid: event.data.cronJobUid, entry: null };
    case 'job.observed': {
      const { object, cronJobUid } = event.data;
      const entry = { ...liveEntry(object), cronJobs: [cronJobUid] };
      return { resource: 'jobs', uid: object.metadata.uid, entry };
    }
    case 'job.deleted':
      return { resource: 'jobs', uid: event.data.childUid, entry: null };
    case 'watch.passed':
    case 'request.received':
    case 'cronjob.decided':
    case 'cronjob.folded':
    case 'cronjob.snapshotted':
    case 'outcome.recorded':
      return null;
  }
}

/** This version is older than every other version, so that a list records existing objects again. */
const OLDEST = { resourceVersion: '0' };

function liveEntry(job: Job): LiveJob {
  return { ...toLiveJob(job, job), ...OLDEST };
}
