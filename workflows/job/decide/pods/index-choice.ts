import { failureAnnotations, retryOfIndexAt } from '../policies/backoff-limit-per-index.ts';
import { failuresOfIndex } from '../../definitions/continued-failures.ts';
import { isPerIndex } from '../../definitions/per-index.ts';
import type { IndexFailures } from '../../../batch/facts.ts';
import type { PodToCreate } from '../../commands.ts';
import {
  contains,
  hasPlace,
  isIndexed,
  lowestOutside,
  missingIndexes,
  union,
  type IndexSets,
} from '../../../batch/completion-indexes.ts';
import { comesBefore, inDeletionOrder } from './deletion-order.ts';
import { podName } from '../../definitions/pod-names.ts';
import { replacesFailedOnly } from '../../definitions/pod-replacement.ts';
import type { PodEntry, Tally } from '../tally.ts';

export interface Choice {
  now: PodToCreate[];
  /** The chosen index whose back-off ends first, for which the Job waits when no pod can be created now. */
  later: { at: number; index: number } | null;
}

/**
 * Chooses the lowest `count` indexes that need a pod (J-5.16). An index in back-off keeps its place, so that no higher
 * index moves up (J-5.17).
 */
export function chooseIndexes(tally: Tally, indexes: IndexSets, count: number): Choice {
  const { job, now, settings } = tally;
  const chosen = openIndexes(tally, indexes, count).map((index) => {
    const failures = indexFailures(tally, index);
    const at = failures === undefined ? 0 : retryOfIndexAt(failures, settings);
    return { index, failures, at };
  });
  const [first] = chosen.toSorted((a, b) => a.at - b.at);
  return {
    now: chosen
      .filter(({ at }) => at <= now)
      .map(({ index, failures }) => ({
        ...nameFor(tally, index),
        index,
        ...(isPerIndex(job.spec) && { annotations: failureAnnotations(failures) }),
      })),
    later: first === undefined ? null : { at: first.at, index: first.index },
  };
}

/**
 * Active pods with an index that the Job may not run, and duplicates of an index except the best pod (J-5.30); also
 * pods that were counted and run again because the API server was restored from an older copy.
 */
export function misplacedPods({ job, active, grant }: Tally): PodEntry[] {
  /** True for an active pod that was counted, and runs again after a restore. */
  const isAgain = ({ pod }: PodEntry): boolean => pod.counted === true;
  if (!isIndexed(job.spec)) return inDeletionOrder(active.filter(isAgain));
  const best = new Map<number, PodEntry>();
  for (const held of active) {
    const index = held.pod.index ?? -1;
    const other = best.get(index);
    if (other === undefined || comesBefore(other, held)) best.set(index, held);
  }
  const misplaced = active.filter(
    (held) =>
      isAgain(held) ||
      held.pod.index === undefined ||
      !hasPlace(job.spec, held.pod.index) ||
      (grant !== null && !contains(grant.indexes, held.pod.index)) ||
      best.get(held.pod.index) !== held,
  );
  return inDeletionOrder(misplaced);
}

/** The lowest indexes that have no pod and are not finished. */
function openIndexes(
  { job, active, terminating, grant }: Tally,
  indexes: IndexSets,
  count: number,
): number[] {
  const { completions = 0 } = job.spec;
  const holders = replacesFailedOnly(job.spec) ? [...active, ...terminating] : active;
  const held = new Set(holders.map(({ pod }) => pod.index));
  const finished = union(indexes.completed, indexes.failed ?? []);
  const closed = grant === null ? finished : union(finished, missingIndexes(grant.indexes, completions));
  return lowestOutside(closed, completions, count, (index) => held.has(index));
}

/** The failures of an index, from its failed pod that waits for a replacement, or from an earlier Job (J-16.23). */
function indexFailures({ state, job }: Tally, index: number): IndexFailures | undefined {
  const uid = state.delayed[index];
  // Stryker disable next-line ConditionalExpression: no pod has the UID undefined
  const replaced = uid === undefined ? undefined : state.pods[uid];
  if (replaced !== undefined) return failuresOfIndex(job.spec, replaced);
  return isPerIndex(job.spec) ? job.annotations?.continues?.indexes?.[index] : undefined;
}

/** The next ordinal and pod name of an index. */
function nameFor({ job, state }: Tally, index: number): { ordinal: number; name: string } {
  const { next, first } = state.indexOrdinals;
  const ordinal = next[index] ?? first;
  return { ordinal, name: podName(job, ordinal, index) };
}
