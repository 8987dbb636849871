import type { CronJobDeleted, CronJobEvent, CronJobObserved } from '../../../workflows/cron-job/events.ts';
import type { CronJob } from '../../../workflows/kubernetes/objects.ts';
import { UNDECIDED } from '../../read-model/tables/decided.ts';
import type { CronJobRow, CronJobVersionRow } from '../../read-model/tables/cron-jobs.ts';
import { hasError } from './answers.ts';
import { decidedColumns } from './decided-columns.ts';
import { toTimestamp } from './instants.ts';
import { numberText } from './job-object.ts';
import { rowAfterDeletion, rowAfterObservation, isNewlySeen } from './seen-object.ts';
import { parseSubject } from './subjects.ts';

/** The row of a CronJob after the next event of its stream. */
export function foldCronJobRow(before: CronJobRow | undefined, event: CronJobEvent): CronJobRow {
  const row = before ?? unseenCronJob(event);
  switch (event.type) {
    case 'cronjob.observed':
      return rowAfterObservation(row, event, columnsOfCronJob);
    case 'cronjob.deleted':
      return rowAfterDeletion(row, event, columnsOfCronJob);
    case 'cronjob.decided':
      return { ...row, ...decidedColumns(row, event) };
    case 'outcome.recorded':
      return hasError(event.data.outcome)
        ? { ...row, failed_command_count: row.failed_command_count + 1 }
        : row;
    case 'job.observed':
    case 'job.deleted':
    case 'watch.passed':
    case 'request.received':
    case 'cronjob.folded':
    case 'cronjob.snapshotted':
      return row;
  }
}

function columnsOfCronJob({ metadata, spec, status = {} }: CronJob) {
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    schedule: spec.schedule,
    time_zone: spec.timeZone ?? null,
    suspend: spec.suspend ?? false,
    concurrency_policy: spec.concurrencyPolicy ?? null,
    starting_deadline_seconds: numberText(spec.startingDeadlineSeconds),
    successful_jobs_history_limit: spec.successfulJobsHistoryLimit ?? null,
    failed_jobs_history_limit: spec.failedJobsHistoryLimit ?? null,
    active: status.active?.length ?? 0,
    active_jobs: (status.active ?? []).map(({ name }) => name),
    last_schedule_time: toTimestamp(status.lastScheduleTime),
    last_successful_time: toTimestamp(status.lastSuccessfulTime),
    labels: metadata.labels ?? {},
    generation: numberText(metadata.generation),
    created_at: toTimestamp(metadata.creationTimestamp),
    deletion_requested_at: toTimestamp(metadata.deletionTimestamp),
  };
}

/**
 * The row of a CronJob that was never observed but that an event names, for example the event of a Job that the CronJob
 * left behind.
 */
function unseenCronJob(event: CronJobEvent): CronJobRow {
  return {
    cluster: event.data.cluster,
    uid: event.data.cronJobUid,
    ...parseSubject(event.subject),
    schedule: null,
    time_zone: null,
    suspend: false,
    concurrency_policy: null,
    starting_deadline_seconds: null,
    successful_jobs_history_limit: null,
    failed_jobs_history_limit: null,
    active: 0,
    active_jobs: [],
    last_schedule_time: null,
    last_successful_time: null,
    labels: {},
    generation: null,
    resource_version: '0',
    created_at: null,
    deletion_requested_at: null,
    deleted_at: null,
    deletion_seen: null,
    first_seen_at: eventTime(event),
    last_seen_at: eventTime(event),
    ...UNDECIDED,
  };
}

/** The version that an observation or deletion shows for the first time; empty when the event changed no row. */
export function versionsSeen(
  before: CronJobRow | undefined,
  after: CronJobRow,
  event: CronJobObserved | CronJobDeleted,
): CronJobVersionRow[] {
  const isDeletion = event.type === 'cronjob.deleted';
  if (!isNewlySeen(before, after, isDeletion)) return [];
  return [
    {
      cluster: after.cluster,
      uid: after.uid,
      namespace: after.namespace,
      name: after.name,
      schedule: after.schedule,
      time_zone: after.time_zone,
      suspend: after.suspend,
      concurrency_policy: after.concurrency_policy,
      starting_deadline_seconds: after.starting_deadline_seconds,
      successful_jobs_history_limit: after.successful_jobs_history_limit,
      failed_jobs_history_limit: after.failed_jobs_history_limit,
      active: after.active,
      active_jobs: after.active_jobs,
      last_schedule_time: after.last_schedule_time,
      last_successful_time: after.last_successful_time,
      resource_version: after.resource_version,
      seen_at: eventTime(event),
      event_id: event.id,
      deleted: isDeletion,
    },
  ];
}

function eventTime({ time }: CronJobEvent): string {
  return toTimestamp(time) ?? time;
}
