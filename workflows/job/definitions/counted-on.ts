import type { CountedBefore, JobFacts } from '../facts.ts';
import { completedOn, failedOn, formatIndexes, isIndexed, countIndexes } from './completion-indexes.ts';

/**
 * The counters of a Job: the values of its status, but never less than the counts from before the API server was
 * restored.
 */
export function countedOn({ status, atLeast }: JobFacts): { succeeded: number; failed: number } {
  return {
    succeeded: Math.max(status.succeeded ?? 0, atLeast?.succeeded ?? 0),
    failed: Math.max(status.failed ?? 0, atLeast?.failed ?? 0),
  };
}

/** The counts that remain valid when the API server is restored from an older copy. */
export function countedBefore(job: JobFacts): CountedBefore {
  return {
    ...countedOn(job),
    completedIndexes: formatIndexes(completedOn(job)),
    failedIndexes: formatIndexes(failedOn(job)),
  };
}

/** True when the status itself shows the earlier counts. */
export function showsAtLeast(job: JobFacts): boolean {
  const { atLeast: _atLeast, ...shown } = job;
  const counted = countedOn(job);
  const { succeeded = 0, failed = 0 } = job.status;
  const isSameNumber = isIndexed(job.spec) || succeeded === counted.succeeded;
  return (
    isSameNumber &&
    failed === counted.failed &&
    countIndexes(completedOn(shown)) === countIndexes(completedOn(job)) &&
    countIndexes(failedOn(shown)) === countIndexes(failedOn(job))
  );
}
