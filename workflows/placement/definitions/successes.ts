import {
  difference,
  formatIndexes,
  parseIndexes,
  sizeOf,
  union,
} from '../../job/definitions/completion-indexes.ts';
import type { JobStatus } from '../../kubernetes/objects.ts';
import type { PlacedJobFacts } from '../facts.ts';

type Successes = Pick<JobStatus, 'succeeded' | 'completedIndexes' | 'failedIndexes'>;

/**
 * What the Job and its member have done together: no count falls, except that an Indexed Job has the indexes below its `completions` only
 * (J-5.36). It is grown again later, and runs those that it had lost again.
 */
export function successesOf(
  { spec, status }: Pick<PlacedJobFacts, 'spec' | 'status'>,
  own: Successes,
): Successes {
  const { completionMode, completions = 0 } = spec;
  if (completionMode !== 'Indexed') {
    const succeeded = Math.max(status.succeeded ?? 0, own.succeeded ?? 0);
    return succeeded === 0 ? {} : { succeeded };
  }
  const both = (field: 'completedIndexes' | 'failedIndexes') =>
    union(parseIndexes(status[field] ?? '', completions), parseIndexes(own[field] ?? '', completions));
  const done = both('completedIndexes');
  const isPerIndex = status.failedIndexes !== undefined || own.failedIndexes !== undefined;
  return {
    ...(sizeOf(done) > 0 && { succeeded: sizeOf(done), completedIndexes: formatIndexes(done) }),
    // A success wins (J-5.52).
    ...(isPerIndex && { failedIndexes: formatIndexes(difference(both('failedIndexes'), done)) }),
  };
}
