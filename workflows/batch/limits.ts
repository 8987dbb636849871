import type { JobSpec } from '../kubernetes/objects.ts';
import { countIndexes, type IndexSets } from './completion-indexes.ts';
import type { Ending } from './ending.ts';

/** The default of `spec.backoffLimit` in the API (J-15.9). */
export const DEFAULT_BACKOFF_LIMIT = 6;

/** The reason and the message of the conditions of a Job whose deadline has passed (J-6.5). */
export const DEADLINE_EXCEEDED = {
  reason: 'DeadlineExceeded',
  message: 'Job was active longer than specified deadline',
} as const;

/**
 * The end of a Job that has more failed indexes than `maxFailedIndexes`, or whose indexes are all finished and some
 * of them failed (J-6.20).
 */
export function failedIndexesLimitReached({
  job,
  indexes,
  completions = 0,
}: {
  job: { spec: Pick<JobSpec, 'maxFailedIndexes'> };
  indexes: IndexSets | null;
  /** The number of indexes that the Job runs. */
  completions: number | undefined;
}): Ending | null {
  if (indexes === null || indexes.failed === null || indexes.failed.length === 0) return null;
  const failed = countIndexes(indexes.failed);
  const { maxFailedIndexes = Infinity } = job.spec;
  if (failed > maxFailedIndexes) {
    const text = `${failed} failed ${failed === 1 ? 'index' : 'indexes'}, the limit is ${maxFailedIndexes}`;
    const message = 'Job has exceeded the specified maximal number of failed indexes';
    return failedEnding('MaxFailedIndexesExceeded', message, text);
  }
  const succeeded = countIndexes(indexes.completed);
  if (failed + succeeded < completions) return null;
  const message = `${failed === 1 ? '1 index' : `${failed} indexes`} failed, ${succeeded} succeeded of ${completions}`;
  return failedEnding('FailedIndexes', 'Job has failed indexes', message);
}

/** The end of a Job because of its failed indexes. */
function failedEnding(reason: string, message: string, text: string): Ending {
  return { type: 'Failed', reason, message, isStored: false, why: { rule: 'J-6.20', message: text } };
}
