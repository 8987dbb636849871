import type { OutcomeRecorded, RequestReceived } from '../../../workflows/job/events.ts';
import { NO_PODS } from '../../read-model/tables/pod-summary.ts';
import { UNDECIDED } from '../../read-model/tables/decided.ts';
import { SUSPENDED_WITHIN } from '../../read-model/situation/job-situation.ts';
import type { JobRow } from '../../read-model/tables/jobs.ts';
import { hasError } from './answers.ts';
import { decidedColumns } from './decided-columns.ts';
import { toTimestamp } from './instants.ts';
import { columnsOfJob } from './job-object.ts';
import { rowAfterDeletion, rowAfterObservation } from './seen-object.ts';
import { jobNameIn, type JobStreamEvent } from './subjects.ts';

/** The row of a Job after the next event of its stream. */
export function foldJobRow(before: JobRow | undefined, event: JobStreamEvent): JobRow {
  const row = before ?? unseenJob(event);
  switch (event.type) {
    case 'job.observed':
      return clearSuspender(
        row,
        rowAfterObservation(row, event, (object) => columnsOfJob(object, row.claimed)),
      );
    case 'job.deleted':
      return rowAfterDeletion(row, event, (object) => columnsOfJob(object, row.claimed));
    case 'job.decided':
      return { ...row, claimed: true, ...decidedColumns(row, event) };
    case 'outcome.recorded':
      return foldOutcome(row, event);
    case 'request.received':
      return foldRequest(row, event);
    case 'pod.observed':
    case 'pod.deleted':
    case 'awaited-job.observed':
    case 'job.submitted':
    case 'api-request.audited':
    case 'kubernetes-event.observed':
    case 'job.detached':
    case 'job.folded':
    case 'job.snapshotted':
      return row;
  }
}

function foldOutcome(row: JobRow, event: OutcomeRecorded): JobRow {
  const { outcome } = event.data;
  // A pod with our finalizer may name a Job that was deleted before the ingester observed the Job.
  if (outcome.kind === 'LookUpJob' && outcome.job === null && row.deleted_at === null)
    return { ...row, deleted_at: eventTime(event), deletion_seen: false };
  return hasError(outcome) ? { ...row, failed_command_count: row.failed_command_count + 1 } : row;
}

/**
 * The row after a request. A later request to suspend a suspended Job is refused (J-6.37), so that the first request
 * counts.
 */
function foldRequest(row: JobRow, event: RequestReceived): JobRow {
  const { action, by } = event.data;
  const at = eventTime(event);
  if (action === 'approve') return row;
  if (action === 'resume') return { ...row, suspend_requested_by: null, suspend_requested_at: null };
  if (row.suspend_requested_by !== null && (row.suspend || isSuspensionDue(row, at))) return row;
  return { ...row, suspend_requested_by: by, suspend_requested_at: at };
}

/** True while the suspension that a user asked for is not observed yet. */
function isSuspensionDue({ suspend_requested_at: since }: JobRow, at: string): boolean {
  return since !== null && Date.parse(at) - Date.parse(since) < SUSPENDED_WITHIN;
}

/** Removes the user who suspended a Job when an observation shows that the Job was resumed. */
function clearSuspender(before: JobRow, after: JobRow): JobRow {
  if (!before.suspend || after.suspend) return after;
  return { ...after, suspend_requested_by: null, suspend_requested_at: null };
}

/**
 * The row of a Job that was never observed but that an event names, for example the event of a pod that the Job left
 * behind.
 */
function unseenJob(event: JobStreamEvent): JobRow {
  return {
    cluster: event.data.cluster,
    uid: event.data.jobUid,
    ...jobNameIn(event),
    claimed: false,
    managed_by: null,
    kubectl_status: 'Unknown',
    parallelism: null,
    completions: null,
    completion_mode: null,
    backoff_limit: null,
    backoff_limit_per_index: null,
    active_deadline_seconds: null,
    ttl_seconds_after_finished: null,
    suspend: false,
    labels: {},
    owner_kind: null,
    owner_name: null,
    series: jobNameIn(event).name,
    scheduled_at: null,
    generation: null,
    resource_version: '0',
    active: 0,
    ready: 0,
    terminating: 0,
    succeeded: 0,
    failed: 0,
    completed_indexes: null,
    failed_indexes: null,
    conditions: [],
    created_at: null,
    started_at: null,
    completed_at: null,
    finished_at: null,
    deletion_requested_at: null,
    deleted_at: null,
    deletion_seen: null,
    first_seen_at: eventTime(event),
    last_seen_at: eventTime(event),
    first_pod_at: null,
    first_container_started_at: null,
    first_ready_at: null,
    attempt_count: 0,
    ...UNDECIDED,
    suspend_requested_by: null,
    suspend_requested_at: null,
    pod_summary: NO_PODS,
    status: 'Pending',
    waiting_for: null,
    waiting_until: null,
    reason: null,
  };
}

function eventTime(event: JobStreamEvent): string {
  return toTimestamp(event.time) ?? event.time;
}
