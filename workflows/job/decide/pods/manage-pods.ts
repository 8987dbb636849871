import { BACKOFF_SECONDS, trackingFinalizer } from '../../../kubernetes/names.ts';
import type { CommandDelay } from '../../../decision/hold-back.ts';
import { backoffEnd } from './backoff.ts';
import { failuresInARow } from '../../definitions/continued-failures.ts';
import { MAX_PODS_IN_COMMAND, type DeletePods, type PodToCreate } from '../../commands.ts';
import { commandPreconditions } from '../../definitions/preconditions.ts';
import { formatIndexes, toIndexes, countOverlap, countIndexes } from '../../../batch/completion-indexes.ts';
import { inDeletionOrder } from './deletion-order.ts';
import type { JobFacts } from '../../../batch/facts.ts';
import { ownBackoffSeconds } from '../policies/backoff-seconds.ts';
import { activeDeadline } from '../policies/deadline.ts';
import { podGroupField } from '../policies/gang-scheduling.ts';
import { chooseIndexes, misplacedPods } from './index-choice.ts';
import type { Reason } from '../../../decision/reason.ts';
import { isoTime } from '../../../ledger/instants.ts';
import { unchangedPlan, type SyncPlan } from '../plan.ts';
import { podName } from '../../definitions/pod-names.ts';
import { replacesFailedOnly } from '../../definitions/pod-replacement.ts';
import { podRef } from '../../definitions/pod-refs.ts';
import type { PodEntry, Tally } from '../tally.ts';

/** Creates or deletes pods to reach the wanted number; one sync never does both (J-5.12). */
export function managePods(tally: Tally): SyncPlan {
  if (tally.job.deleting) return { ...unchangedPlan(tally), action: 'reconciling' };
  const action = tally.suspended ? 'pods_deleted' : 'tracking';
  const unchanged: SyncPlan = { ...unchangedPlan(tally), action, isManaged: true };
  const misplaced = misplacedPods(tally);
  const surplus = surplusPods(tally, misplaced);
  const missing = countMissing(tally);
  if (surplus.length === 0 && missing <= 0) return unchanged;
  const plan: SyncPlan = { ...unchanged, heldWith: ['CreatePods', 'DeletePods'] };
  if (surplus.length > 0) return planWithDeletions(tally, plan, surplus, misplaced);
  // The list is empty for a Job with a back-off limit per index, where each index has its own back-off (J-5.44).
  const free = backoffEnd(consecutiveFailures(tally), tally.settings);
  if (free !== null && free > tally.now) return planWithDelay(plan, backoffDelay(tally, free));
  const count = Math.min(missing, tally.settings.maxPodsPerSync);
  if (tally.indexes === null) return planWithCreations(tally, plan, nextPods(tally, count));
  const { now, later } = chooseIndexes(tally, tally.indexes, count);
  if (now.length > 0) return planWithCreations(tally, plan, now);
  return later === null ? plan : planWithDelay(plan, indexDelay(tally, later));
}

/** The number of pods that should be active (J-5.11). */
function wantedPods(tally: Tally): number {
  const { job, succeeded, active, suspended } = tally;
  const { parallelism = 1, completions } = job.spec;
  if (suspended) return 0;
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(countOpen(tally, completions), parallelism));
}

/** The number of missing successes, among the indexes that the Job may run. */
function countOpen({ succeeded, indexes, grant }: Tally, completions: number): number {
  if (indexes === null || grant === null) return completions - succeeded;
  return countIndexes(grant.indexes) - countOverlap(grant.indexes, indexes.completed);
}

/** The active pods that must be deleted. */
function surplusPods(tally: Tally, misplaced: PodEntry[]): PodEntry[] {
  // A suspension deletes all pods at once (J-6.41); a sync that scales down deletes a limited number (J-5.12).
  if (tally.suspended) return tally.active.slice(0, MAX_PODS_IN_COMMAND);
  const others = tally.active.length - wantedPods(tally) - misplaced.length;
  return [...misplaced, ...firstToDelete(tally, others, misplaced)].slice(0, tally.settings.maxPodsPerSync);
}

/** The first `count` active pods in deletion order, without misplaced pods. */
function firstToDelete(tally: Tally, count: number, misplaced: PodEntry[]): PodEntry[] {
  // Stryker disable next-line EqualityOperator: a shortcut with the same result
  if (count <= 0) return [];
  const isMisplaced = new Set(misplaced.map(({ uid }) => uid));
  return inDeletionOrder(tally.active.filter(({ uid }) => !isMisplaced.has(uid))).slice(0, count);
}

/**
 * The number of pods that must be created; with replace-failed-only, a terminating pod is not replaced yet (J-5.13).
 */
function countMissing(tally: Tally): number {
  const kept = replacesFailedOnly(tally.job.spec) ? tally.terminating.length : 0;
  return wantedPods(tally) - kept - tally.active.length;
}

/** The next pods of a Job without indexes. */
function nextPods({ job, state }: Tally, count: number): PodToCreate[] {
  return freeOrdinals(state, count).map((ordinal) => ({ ordinal, name: podName(job, ordinal) }));
}

/** The plan with the creation of these pods. */
function planWithCreations(tally: Tally, plan: SyncPlan, pods: PodToCreate[]): SyncPlan {
  const { job, settings, state } = tally;
  return {
    ...plan,
    action: 'pods_created',
    commands: [
      {
        kind: 'CreatePods',
        finalizer: trackingFinalizer(settings.claim),
        ...podGroupField(state),
        preconditions: commandPreconditions(job, activeDeadline(tally)),
        pods,
        why: creationReason(tally, pods),
      },
    ],
    active: plan.active + pods.length,
  };
}

/** The lowest ordinals that no pod has used. */
function freeOrdinals({ nextOrdinal, spentOrdinals }: Tally['state'], count: number): number[] {
  const spent = new Set(spentOrdinals);
  const free: number[] = [];
  for (let ordinal = nextOrdinal; free.length < count; ordinal += 1)
    if (!spent.has(ordinal)) free.push(ordinal);
  return free;
}

/** The reason for the creation of pods. */
function creationReason(tally: Tally, pods: PodToCreate[]): Reason {
  const count = pods.length;
  const failures = consecutiveFailures(tally).length;
  const wish = `${wantedPods(tally)} wanted, ${tally.active.length} active, ${tally.succeeded} succeeded`;
  const message = `${count} missing${indexText(pods)}: ${wish}`;
  if (failures === 0) return { rule: 'J-5.13', message };
  return { rule: 'J-5.40', message: `${message}; the back-off after ${failuresText(failures)} is over` };
}

/** The indexes of new pods as text; empty for pods without an index. */
function indexText(pods: PodToCreate[]): string {
  const indexes = formatIndexes(toIndexes(pods.flatMap(({ index }) => index ?? [])));
  return indexes === '' ? '' : ` (index ${indexes})`;
}

/** The plan with the deletion of surplus pods. */
function planWithDeletions(
  tally: Tally,
  plan: SyncPlan,
  surplus: PodEntry[],
  misplaced: PodEntry[],
): SyncPlan {
  const why: Reason = tally.suspended
    ? { rule: 'J-6.41', message: 'the Job is suspended' }
    : removalReason(tally, misplaced);
  const pods = surplus.map(({ uid, pod }) => podRef(tally.job, uid, pod));
  const preconditions = commandPreconditions(tally.job, activeDeadline(tally));
  const deletion: DeletePods = { kind: 'DeletePods', untrack: true, preconditions, pods, why };
  return {
    ...plan,
    action: 'pods_deleted',
    commands: [deletion],
    active: plan.active - surplus.length,
    ready: plan.ready - surplus.filter(({ pod }) => pod.ready !== undefined).length,
    terminating: plan.terminating + surplus.length,
  };
}

/** The reason for the deletion of pods. */
function removalReason(tally: Tally, misplaced: PodEntry[]): Reason {
  const again = misplaced.filter(({ pod }) => pod.counted === true).length;
  const others = misplaced.length - again;
  const message = [
    `${tally.active.length} active, ${wantedPods(tally)} wanted`,
    ...(others > 0 ? [`${others} of no index that is missing`] : []),
    ...(again > 0 ? [`${again} counted before the API server was restored`] : []),
  ].join(', ');
  return { rule: misplaced.length === 0 ? 'J-5.12' : 'J-5.30', message };
}

/**
 * The plan with the wait of delayed creations. Pods whose creation is delayed count as created for the metrics
 * (J-11.2).
 */
function planWithDelay(plan: SyncPlan, wait: CommandDelay): SyncPlan {
  return { ...plan, action: 'pods_created', ...wait };
}

/** The wait for the back-off of an index. */
function indexDelay({ job }: Tally, { at, index }: { at: number; index: number }): CommandDelay {
  const message = `no pod before ${isoTime(at)}: back-off of index ${index}${baseText(job)}`;
  return { nextDecisionAt: at, waiting: { rule: 'J-5.44', message } };
}

/** The wait for the back-off after failed pods. */
function backoffDelay(tally: Tally, until: number): CommandDelay {
  const failures = failuresText(consecutiveFailures(tally).length);
  const message = `no pod before ${isoTime(until)}: back-off after ${failures} in a row${baseText(tally.job)}`;
  return { nextDecisionAt: until, waiting: { rule: 'J-5.40', message } };
}

/** The finish times of consecutive failures, newest first. */
function consecutiveFailures({ state, job }: Tally): number[] {
  return failuresInARow(state.backoff, job.annotations?.continues?.consecutive);
}

/** The text about the delay that an annotation of the Job sets; empty without an annotation that applies. */
function baseText(job: JobFacts): string {
  const seconds = ownBackoffSeconds(job);
  return seconds === null ? '' : `, the first delay is ${seconds} s (${BACKOFF_SECONDS})`;
}

/** A number of failures as text. */
function failuresText(failures: number): string {
  return failures === 1 ? '1 failure' : `${failures} failures`;
}
