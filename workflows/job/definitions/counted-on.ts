import type { CountedBefore, JobFacts } from '../../batch/facts.ts';
import {
  completedIndexesOf,
  failedIndexesOf,
  formatIndexes,
  isIndexed,
  countIndexes,
} from '../../batch/completion-indexes.ts';

/**
 * The counters of a Job: the values of its status, but never less than the counts from before the API server was
 * restored.
 */
export function jobCounters({ status, atLeast }: JobFacts): { succeeded: number; failed: number } {
  return {
    succeeded: Math.max(status.succeeded ?? 0, atLeast?.succeeded ?? 0),
    failed: Math.max(status.failed ?? 0, atLeast?.failed ?? 0),
  };
}

/** The counts that remain valid when the API server is restored from an older copy. */
export function countedBefore(job: JobFacts): CountedBefore {
  return {
    ...jobCounters(job),
    completedIndexes: formatIndexes(completedIndexesOf(job)),
    failedIndexes: formatIndexes(failedIndexesOf(job)),
  };
}

/** True when the status itself shows the earlier counts. */
export function showsAtLeast(job: JobFacts): boolean {
  const { atLeast: _atLeast, ...shown } = job;
  const counted = jobCounters(job);
  const { succeeded = 0, failed = 0 } = job.status;
  const isSameNumber = isIndexed(job.spec) || succeeded === counted.succeeded;
  return (
    isSameNumber &&
    failed === counted.failed &&
    countIndexes(completedIndexesOf(shown)) === countIndexes(completedIndexesOf(job)) &&
    countIndexes(failedIndexesOf(shown)) === countIndexes(failedIndexesOf(job))
  );
}
