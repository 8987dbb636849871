import { INDEX_FAILURE_COUNT, INDEX_IGNORED_FAILURE_COUNT } from '../../../kubernetes/names.ts';
import { delayAfter } from '../pods/backoff.ts';
import { countIndexes, type IndexSets } from '../../definitions/completion-indexes.ts';
import type { JobSpec } from '../../../kubernetes/objects.ts';
import type { IndexFailures } from '../../facts.ts';
import type { Ending } from '../plan.ts';
import { countIndexFailures } from '../../definitions/continued-failures.ts';
import type { Settings } from '../../settings.ts';

const NONE: IndexFailures = { failureCount: 0, ignoredFailureCount: 0, at: 0 };

/** The instant at which an index may get a new pod after these failures (J-5.44). */
export function retryOfIndexAt(of: IndexFailures, settings: Settings): number {
  return of.at + delayAfter(countIndexFailures(of), settings);
}

/** The annotations with failure counts for a new pod of a Job with a back-off limit per index (J-5.7). */
export function failureAnnotations({ failureCount, ignoredFailureCount }: IndexFailures = NONE): Record<
  string,
  string
> {
  return {
    [INDEX_FAILURE_COUNT]: String(failureCount),
    ...(ignoredFailureCount > 0 && { [INDEX_IGNORED_FAILURE_COUNT]: String(ignoredFailureCount) }),
  };
}

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
