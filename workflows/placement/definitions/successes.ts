import {
  difference,
  formatIndexes,
  parseIndexes,
  countIndexes,
  union,
  type Indexes,
} from '../../batch/completion-indexes.ts';
import type { JobSpec, JobStatus } from '../../kubernetes/objects.ts';
import type { Counters } from '../commands.ts';
import type { PlacedJobFacts } from '../facts.ts';

type Successes = Pick<JobStatus, 'succeeded' | 'completedIndexes' | 'failedIndexes'>;

/**
 * The successes of the Job and of its member, combined: no count falls, except that an Indexed Job has only the
 * indexes below its `completions` (J-5.36). If the `completions` of the Job rise again later, the Job runs the lost
 * indexes again.
 */
export function reportedSuccesses(
  { spec, status }: Pick<PlacedJobFacts, 'spec' | 'status'>,
  own: Successes,
): Successes {
  const { completionMode, completions = 0 } = spec;
  if (completionMode !== 'Indexed') {
    const succeeded = Math.max(status.succeeded ?? 0, own.succeeded ?? 0);
    return succeeded === 0 ? {} : { succeeded };
  }
  /** The indexes that the Job or its member lists in this field. */
  const indexesOfBoth = (field: 'completedIndexes' | 'failedIndexes') =>
    union(parseIndexes(status[field] ?? '', completions), parseIndexes(own[field] ?? '', completions));
  const done = indexesOfBoth('completedIndexes');
  const succeeded = shownCount({ spec, status }, countIndexes(done));
  const isPerIndex = status.failedIndexes !== undefined || own.failedIndexes !== undefined;
  return {
    ...(succeeded > 0 && { succeeded }),
    ...(countIndexes(done) > 0 && { completedIndexes: formatIndexes(done) }),
    // A success wins (J-5.52).
    ...(isPerIndex && { failedIndexes: formatIndexes(difference(indexesOfBoth('failedIndexes'), done)) }),
  };
}

/**
 * The number of completed indexes that the API server accepts: the number may fall while `completions` equals
 * `parallelism` (J-1.40). A Job whose `completions` were lowered, and which then got another parallelism, keeps the
 * number that its status shows.
 */
export function shownCount({ spec, status }: Pick<PlacedJobFacts, 'spec' | 'status'>, count: number): number {
  return spec.completions === spec.parallelism ? count : Math.max(count, status.succeeded ?? 0);
}

/**
 * The sum of the counters of two members of one grant: neither member knew the other member, and each index counts
 * once.
 */
export function combineCounters(one: Counters, other: Counters): Counters {
  /** The higher of two counters, as a field. */
  const higherCount = (field: 'succeeded' | 'failed'): Counters => {
    const count = Math.max(one[field] ?? 0, other[field] ?? 0);
    return count === 0 ? {} : { [field]: count };
  };
  /** The indexes that either member lists in this field, as a field. */
  const indexesOfBoth = (field: 'completedIndexes' | 'failedIndexes'): Counters => {
    if (one[field] === undefined && other[field] === undefined) return {};
    const [a, b] = [one[field] ?? '', other[field] ?? ''];
    return { [field]: formatIndexes(union(parseIndexes(a, Infinity), parseIndexes(b, Infinity))) };
  };
  return {
    ...higherCount('succeeded'),
    ...higherCount('failed'),
    ...indexesOfBoth('completedIndexes'),
    ...indexesOfBoth('failedIndexes'),
  };
}

/** The counters without the indexes that a Job with this number of completions does not have. */
export function withoutLostIndexes<C extends Counters>(
  { completions }: Pick<JobSpec, 'completions'>,
  counters: C,
): C {
  const { succeeded, completedIndexes, failedIndexes } = counters;
  /** The indexes in a text that the Job has. */
  const indexesWithin = (text: string): Indexes => parseIndexes(text, completions ?? Infinity);
  const completed = completedIndexes === undefined ? undefined : indexesWithin(completedIndexes);
  return {
    ...counters,
    ...(completed !== undefined && { completedIndexes: formatIndexes(completed) }),
    ...(completed !== undefined && succeeded !== undefined && { succeeded: countIndexes(completed) }),
    ...(failedIndexes !== undefined && { failedIndexes: formatIndexes(indexesWithin(failedIndexes)) }),
  };
}
