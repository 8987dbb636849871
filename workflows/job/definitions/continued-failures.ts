import type { JobSpec } from '../../kubernetes/objects.ts';
import type { ContinuedFailures, IndexFailures } from '../../batch/facts.ts';
import type { BackoffRecord, JobState, PodState } from '../state.ts';
import { completedIndexesOf, contains, failedIndexesOf } from '../../batch/completion-indexes.ts';
import { isIgnored } from './failure-match.ts';

/** The highest number of consecutive failures that are continued, because more failures do not change the delay. */
const MOST_IN_A_ROW = 32;
/**
 * The highest number of indexes whose failures are continued, because the API server limits annotations; the indexes
 * with the most failures are kept.
 */
const MOST_INDEXES = 1000;

/**
 * The finish times of the failures after the latest success, newest first (J-5.42). `continued` contains the failures
 * of an earlier Job whose work this Job continues (J-16.23).
 */
export function failuresInARow(
  { failures, lastSuccess }: BackoffRecord,
  continued: readonly number[] = [],
): number[] {
  return [...failures, ...continued].filter((finished) => finished > lastSuccess).toSorted((a, b) => b - a);
}

/** The failures of an index whose failed pod waits for its replacement (J-5.7). */
export function failuresOfIndex(spec: JobSpec, pod: PodState): IndexFailures {
  const ignored = isIgnored(spec, pod) ? 1 : 0;
  return {
    failureCount: (pod.failureCount ?? 0) + 1 - ignored,
    ignoredFailureCount: (pod.ignoredFailureCount ?? 0) + ignored,
    at: (pod.finished ?? 0) * 1000,
  };
}

/**
 * The failures that another Job continues when it takes over the work of this Job (J-16.23). `uncountedPodCount` is
 * the number of pods that no status counts yet.
 */
export function failuresToContinue({ job, backoff, delayed, pods }: JobState): {
  failures: ContinuedFailures;
  uncountedPodCount: number;
} {
  const { continues = {} } = job?.annotations ?? {};
  const consecutive = failuresInARow(backoff, continues.consecutive).slice(0, MOST_IN_A_ROW);
  const waiting = Object.entries(delayed).flatMap(([index, uid]) => {
    const pod = pods[uid];
    return job === null || pod === undefined ? [] : [{ index, pod, of: failuresOfIndex(job.spec, pod) }];
  });
  const known = Object.entries({
    ...continues.indexes,
    ...Object.fromEntries(waiting.map(({ index, of }) => [index, of])),
  });
  const closed = job === null ? [] : [completedIndexesOf(job), failedIndexesOf(job)];
  const indexes = known
    .filter(([index]) => !closed.some((set) => contains(set, Number(index))))
    .toSorted(([, a], [, b]) => countIndexFailures(b) - countIndexFailures(a))
    .slice(0, MOST_INDEXES);
  return {
    failures: {
      ...(consecutive.length > 0 && { consecutive }),
      ...(indexes.length > 0 && { indexes: Object.fromEntries(indexes) }),
    },
    uncountedPodCount: waiting.filter(({ pod }) => job !== null && !isIgnored(job.spec, pod)).length,
  };
}

/** The number of failures of an index, including ignored failures, because its back-off depends on both (J-5.44). */
export function countIndexFailures({ failureCount, ignoredFailureCount }: IndexFailures): number {
  return failureCount + ignoredFailureCount;
}
