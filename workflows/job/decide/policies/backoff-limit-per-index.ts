import { INDEX_FAILURE_COUNT, INDEX_IGNORED_FAILURE_COUNT } from '../../../kubernetes/names.ts';
import { delayAfter } from '../pods/backoff.ts';
import type { IndexFailures } from '../../../batch/facts.ts';
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
