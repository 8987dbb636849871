import { terminalCondition, trueCondition } from '../../../workflows/batch/conditions.ts';
import type { InEpoch } from '../../../workflows/ledger/recorded-event.ts';
import { findController } from '../../../workflows/kubernetes/controller.ts';
import { OWN_MANAGER, SCHEDULED_TIMESTAMP } from '../../../workflows/kubernetes/names.ts';
import type { CronJob, Job } from '../../../workflows/kubernetes/objects.ts';
import { compareVersions } from '../../../workflows/ledger/resource-version.ts';
import type { JobSituation } from '../../read-model/situation/job-situation.ts';
import type { KubectlStatus } from '../../read-model/shown/statuses.ts';
import type { DecidedColumns } from '../../read-model/tables/decided.ts';
import type { JobRow } from '../../read-model/tables/jobs.ts';
import { toTimestamp, versionNumber } from './instants.ts';
import { jobSeries } from './series.ts';

/** False when the row already contains this version or a newer one. */
export function isNewerObject(
  before: { resource_version: string } | undefined,
  object: Job | CronJob,
  inEpoch: InEpoch,
): boolean {
  if (before === undefined) return true;
  return (
    compareVersions(versionNumber(object.metadata.resourceVersion, inEpoch), before.resource_version) > 0
  );
}

/** The columns that come from the observed object. */
export function columnsOfJob(
  object: Job,
  claimed: boolean,
): Omit<JobRow, 'cluster' | 'uid' | 'resource_version' | LedgerColumns> {
  const owner = findController(object.metadata);
  return {
    namespace: object.metadata.namespace,
    name: object.metadata.name,
    ...specColumns(object),
    ...statusColumns(object),
    claimed: claimed || object.spec.managedBy === OWN_MANAGER,
    labels: object.metadata.labels ?? {},
    owner_kind: owner?.kind ?? null,
    owner_name: owner?.name ?? null,
    series: jobSeries(object),
    scheduled_at: toTimestamp(object.metadata.annotations?.[SCHEDULED_TIMESTAMP]),
    generation: numberText(object.metadata.generation),
    created_at: toTimestamp(object.metadata.creationTimestamp),
    deletion_requested_at: toTimestamp(object.metadata.deletionTimestamp),
  };
}

/** The columns that do not come from the object. */
type LedgerColumns =
  | 'first_seen_at'
  | 'last_seen_at'
  | 'deleted_at'
  | 'deletion_seen'
  | 'first_pod_at'
  | 'first_container_started_at'
  | 'first_ready_at'
  | 'attempt_count'
  | 'suspend_requested_by'
  | 'suspend_requested_at'
  | 'pod_summary'
  | keyof JobSituation
  | keyof DecidedColumns;

function specColumns({ spec }: Job) {
  return {
    managed_by: spec.managedBy ?? null,
    parallelism: spec.parallelism ?? null,
    completions: spec.completions ?? null,
    completion_mode: spec.completionMode ?? null,
    backoff_limit: spec.backoffLimit ?? null,
    backoff_limit_per_index: spec.backoffLimitPerIndex ?? null,
    active_deadline_seconds: numberText(spec.activeDeadlineSeconds),
    ttl_seconds_after_finished: spec.ttlSecondsAfterFinished ?? null,
    suspend: spec.suspend ?? false,
  };
}

function statusColumns(object: Job) {
  const status = object.status ?? {};
  return {
    kubectl_status: kubectlStatus(object),
    active: status.active ?? 0,
    ready: status.ready ?? 0,
    terminating: status.terminating ?? 0,
    succeeded: status.succeeded ?? 0,
    failed: status.failed ?? 0,
    completed_indexes: status.completedIndexes ?? null,
    failed_indexes: status.failedIndexes ?? null,
    conditions: status.conditions ?? [],
    started_at: toTimestamp(status.startTime),
    completed_at: toTimestamp(status.completionTime),
    finished_at: finishedAt(object),
  };
}

/** The status in one word, with kubectl's precedence. */
export function kubectlStatus(object: Job): KubectlStatus {
  if (hasTrueCondition(object, 'Complete')) return 'Complete';
  if (hasTrueCondition(object, 'Failed')) return 'Failed';
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const rest = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'] as const;
  return rest.find((type) => hasTrueCondition(object, type)) ?? 'Running';
}

function finishedAt({ status }: Job): string | null {
  const end = terminalCondition(status ?? {});
  if (end === undefined) return null;
  return toTimestamp(status?.completionTime) ?? toTimestamp(end.lastTransitionTime);
}

function hasTrueCondition({ status = {} }: Job, type: string): boolean {
  return trueCondition(status, type) !== undefined;
}

/** The text of an integer for a bigint column. The integer may be a bigint (exact-json.ts), which keeps every digit. */
export function numberText(number: number | bigint | undefined): string | null {
  return number === undefined ? null : String(number);
}
