import { endBy } from '../../workflows/job/definitions/ending-writes.ts';
import type { CarryOutInput } from '../../workflows/activities.ts';
import type { Outcome } from '../../workflows/job/outcomes.ts';
import type { Command, WriteStatus } from '../../workflows/job/commands.ts';
import { parseIndexes, countIndexes } from '../../workflows/batch/completion-indexes.ts';
import type { Sync } from '../../workflows/job/decide/sync-metrics.ts';
import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import { hasFailed } from './activities/job/outcome-of.ts';

/** One change of a metric of the Job controller or the TTL controller, under upstream's name (J-11.1, J-11.4). */
export interface Measurement {
  metric: Metric;
  labels: Record<string, string>;
  value: number;
}

export type Metric =
  | 'job_controller_job_sync_duration_seconds'
  | 'job_controller_job_syncs_total'
  | 'job_controller_jobs_finished_total'
  | 'job_controller_job_pods_finished_total'
  | 'job_controller_pod_failures_handled_by_failure_policy_total'
  | 'job_controller_job_finished_indexes_total'
  | 'job_controller_job_pods_creation_total'
  | 'ttl_after_finished_controller_job_deletion_duration_seconds';

type Measured = Pick<CarryOutInput, 'sync'> & { commands: readonly Command[]; outcomes: readonly Outcome[] };

/** The metric changes of a decision that took `seconds` to carry out. */
export function measureDecision(done: Measured, seconds: number): Measurement[] {
  const executed = done.commands.flatMap((command, at) => {
    const outcome = done.outcomes[at];
    return outcome === undefined ? [] : [{ command, outcome }];
  });
  const { sync } = done;
  const deletions = executed.flatMap(({ command, outcome }) => measureDeletion(command, outcome));
  if (sync === null) return deletions;
  return [
    ...measureSync(sync, done.outcomes, seconds),
    ...executed.flatMap(({ outcome }) => measureCreations(sync, outcome)),
    ...executed.flatMap(({ command, outcome }) =>
      command.kind === 'WriteStatus' && isWritten(outcome) ? measureStatusWrite(sync, command) : [],
    ),
    ...measureHandledFailures(sync, executed),
    ...deletions,
  ];
}

function isWritten(outcome: Outcome): boolean {
  return outcome.kind === 'WriteStatus' && outcome.result === 'written';
}

function measureSync(
  { completionMode, action }: Sync,
  outcomes: readonly Outcome[],
  seconds: number,
): Measurement[] {
  const result = outcomes.some(hasFailed) ? 'error' : 'success';
  const labels = { completion_mode: completionMode, result, action };
  return [
    { metric: 'job_controller_job_sync_duration_seconds', labels, value: seconds },
    { metric: 'job_controller_job_syncs_total', labels, value: 1 },
  ];
}

/**
 * The measurements of created pods. Failed creations count only as failed (B-1). Pods that an earlier attempt created
 * count too.
 */
function measureCreations({ creationReason }: Sync, outcome: Outcome): Measurement[] {
  if (outcome.kind !== 'CreatePods' || creationReason === null) return [];
  const countResult = (result: string): number => outcome.pods.filter((pod) => pod.result === result).length;
  const labels = (status: string) => ({ reason: creationReason, status });
  return [
    ...measureIncrease('job_controller_job_pods_creation_total', labels('succeeded'), countResult('created')),
    ...measureIncrease('job_controller_job_pods_creation_total', labels('failed'), countResult('failed')),
  ];
}

/** The measurements of a status write, which count for each successful PUT (J-11.3). */
function measureStatusWrite(sync: Sync, { from, to }: WriteStatus): Measurement[] {
  const { completionMode: completion_mode, isPerIndex } = sync;
  const countIndexesIn = (text = ''): number => countIndexes(parseIndexes(text, sync.completions));
  const completed = countIndexesIn(to.completedIndexes) - countIndexesIn(from.completedIndexes);
  const failedIndexes = countIndexesIn(to.failedIndexes) - countIndexesIn(from.failedIndexes);
  const isIndexed = completion_mode === 'Indexed';
  const succeeded = isIndexed ? completed : (to.succeeded ?? 0) - (from.succeeded ?? 0);
  const failed = (to.failed ?? 0) - (from.failed ?? 0);
  const backoffLimit = isPerIndex ? 'perIndex' : 'global';
  const pods = 'job_controller_job_pods_finished_total';
  const finishedIndexes = 'job_controller_job_finished_indexes_total';
  return [
    ...measureIncrease(pods, { completion_mode, result: 'succeeded' }, succeeded),
    ...measureIncrease(pods, { completion_mode, result: 'failed' }, failed),
    ...measureIncrease(finishedIndexes, { status: 'succeeded', backoffLimit }, isIndexed ? completed : 0),
    ...measureIncrease(finishedIndexes, { status: 'failed', backoffLimit }, failedIndexes),
    ...measureEnd(completion_mode, from, to),
  ];
}

/** The measurement of a Job that a status write finishes; empty for any other write. */
function measureEnd(completion_mode: string, from: JobStatus, to: JobStatus): Measurement[] {
  const condition = endBy({ from, to });
  if (condition === undefined) return [];
  const result = condition.type === 'Complete' ? 'succeeded' : 'failed';
  const labels = { completion_mode, result, reason: condition.reason ?? '' };
  return [{ metric: 'job_controller_jobs_finished_total', labels, value: 1 }];
}

/**
 * The measurements of pods that the pod failure policy handled. A failed pod is measured when it is counted, an ignored
 * pod when it is released.
 */
function measureHandledFailures(
  { handled }: Sync,
  executed: readonly { command: Command; outcome: Outcome }[],
): Measurement[] {
  const counted = new Set(
    executed.flatMap(({ command, outcome }) =>
      command.kind === 'WriteStatus' && isWritten(outcome) ? command.counted.failed : [],
    ),
  );
  const released = new Set(
    executed.flatMap(({ outcome }) =>
      outcome.kind === 'ReleasePods'
        ? outcome.pods.filter(({ result }) => result !== 'failed').map(({ uid }) => uid)
        : [],
    ),
  );
  return ['FailJob', 'FailIndex', 'Ignore', 'Count'].flatMap((action) => {
    const done = action === 'Ignore' ? released : counted;
    const count = handled.filter((pod) => pod.action === action && done.has(pod.uid)).length;
    return measureIncrease('job_controller_pod_failures_handled_by_failure_policy_total', { action }, count);
  });
}

function measureDeletion(command: Command, outcome: Outcome): Measurement[] {
  if (command.kind !== 'DeleteJob' || outcome.kind !== 'DeleteJob' || outcome.result !== 'done') return [];
  const value = Math.max(0, outcome.at - command.expiredAt) / 1000;
  return [{ metric: 'ttl_after_finished_controller_job_deletion_duration_seconds', labels: {}, value }];
}

function measureIncrease(metric: Metric, labels: Record<string, string>, value: number): Measurement[] {
  return value > 0 ? [{ metric, labels, value }] : [];
}
