import type { JobDeleted, JobObserved } from '../../../workflows/job/events.ts';
import type { JobStatusRow } from '../../read-model/tables/job-statuses.ts';
import type { JobRow } from '../../read-model/tables/jobs.ts';
import { toTimestamp } from './instants.ts';
import { isNewlySeen } from './seen-object.ts';

/** The status that an observation or deletion shows for the first time; empty when the event changed no row. */
export function statusesSeen(
  before: JobRow | undefined,
  after: JobRow,
  event: JobObserved | JobDeleted,
): JobStatusRow[] {
  if (!isNewlySeen(before, after, event.type === 'job.deleted')) return [];
  return [
    {
      cluster: after.cluster,
      uid: after.uid,
      namespace: after.namespace,
      name: after.name,
      kubectl_status: after.kubectl_status,
      suspend: after.suspend,
      parallelism: after.parallelism,
      completions: after.completions,
      active: after.active,
      ready: after.ready,
      terminating: after.terminating,
      succeeded: after.succeeded,
      failed: after.failed,
      completed_indexes: after.completed_indexes,
      failed_indexes: after.failed_indexes,
      started_at: after.started_at,
      completed_at: after.completed_at,
      conditions: after.conditions,
      resource_version: after.resource_version,
      seen_at: toTimestamp(event.time) ?? event.time,
      event_id: event.id,
      deleted: event.type === 'job.deleted',
    },
  ];
}
