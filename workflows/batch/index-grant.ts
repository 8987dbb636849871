import { INDEXES_KEPT } from '../kubernetes/names.ts';
import { trueCondition, type EndType } from './conditions.ts';
import {
  formatIndexes,
  toIndexes,
  intersection,
  missingIndexes,
  parseIndexes,
  countIndexes,
  union,
  type Indexes,
  type IndexSets,
} from './completion-indexes.ts';
import type { JobSpec, JobStatus } from '../kubernetes/objects.ts';

/**
 * A Job may be told to run only some of its indexes: by the annotation `jobledger.dev/indexes`, with the value
 * `<number>:<indexes>[:<end>]` (J-16.24). The highest number counts. The Job acknowledges in a condition which indexes
 * it keeps: the granted ones, and those that it has already begun. The rest may then run elsewhere. When the grant
 * names an end, the Job must end in this way.
 *
 * A Job that repeats indexes of an earlier Job has the same grant with `isRetry`, and ends when these indexes have
 * ended.
 */
export interface IndexGrant {
  number: number;
  /** The indexes, in the form of a status. */
  indexes: string;
  end?: EndType;
  isRetry?: true;
}

/** The fields of a Job that say which indexes it may run. */
interface GrantedJob {
  status: JobStatus;
  /** The acknowledged grant, when the status does not show it. */
  kept?: IndexGrant;
  annotations?: { indexes?: IndexGrant };
}

/** Every index is below this number, which also limits `completions` in the API. */
const MOST_COMPLETIONS = 2 ** 31 - 1;

/**
 * Reads `<number>:<indexes>`, with the indexes as in a status, and `:Complete` or `:Failed` when the Job must end;
 * null for any other text.
 */
export function indexGrantIn(text: string): IndexGrant | null {
  const { number, indexes, end } =
    /^(?<number>\d{1,15}):(?<indexes>[-\d,]*)(?::(?<end>Complete|Failed))?$/.exec(text)?.groups ?? {};
  if (number === undefined || indexes === undefined) return null;
  if (formatIndexes(parseIndexes(indexes, MOST_COMPLETIONS)) !== indexes) return null;
  return { number: Number(number), indexes, ...(end !== undefined && { end: end as EndType }) };
}

/** The text of the grant in the annotation and the condition. */
export function grantText({ number, indexes, end }: IndexGrant): string {
  return `${number}:${indexes}${end === undefined ? '' : `:${end}`}`;
}

/** The reason of the condition that acknowledges a grant. */
export function grantReason({ isRetry }: Pick<IndexGrant, 'isRetry'>): string {
  return isRetry === true ? RETRIED : 'Granted';
}

const RETRIED = 'Retried';

/**
 * The latest grant that the Job has acknowledged; null before the first grant. The acknowledged grant stays when the
 * API server is restored from an older copy.
 */
export function keptGrant({ status, kept }: Pick<GrantedJob, 'status' | 'kept'>): IndexGrant | null {
  const { message = '', reason } = trueCondition(status, INDEXES_KEPT) ?? {};
  const shown = indexGrantIn(message);
  if (shown === null || shown.number < (kept?.number ?? 0)) return kept ?? null;
  return kept === undefined && reason === RETRIED
    ? { ...shown, isRetry: true }
    : withKindOf(shown, kept ?? {});
}

/** The grant, with `isRetry` as in the other grant. */
function withKindOf(
  { isRetry: _own, ...grant }: IndexGrant,
  { isRetry }: Pick<IndexGrant, 'isRetry'>,
): IndexGrant {
  return { ...grant, ...(isRetry === true && { isRetry }) };
}

/** A grant with its indexes as a set. */
export type EffectiveGrant = Omit<IndexGrant, 'indexes'> & { indexes: Indexes };

/**
 * The indexes that the Job may run and acknowledges: the grant of its annotation, and the indexes that it has begun,
 * because they may otherwise run in two Jobs at once. The value is null when the Job may run all indexes. An
 * acknowledged set does not grow until the next grant, and an acknowledged retry stays a retry.
 */
export function effectiveGrant(job: GrantedJob, begun: readonly number[]): EffectiveGrant | null {
  const kept = keptGrant(job);
  const asked = job.annotations?.indexes;
  if (asked === undefined || (kept !== null && asked.number <= kept.number))
    return kept === null ? null : { ...kept, indexes: grantedIndexes(kept) };
  return { ...withKindOf(asked, kept ?? asked), indexes: union(grantedIndexes(asked), toIndexes(begun)) };
}

/** The indexes of a grant as a set. */
export function grantedIndexes({ indexes }: Pick<IndexGrant, 'indexes'>): Indexes {
  return parseIndexes(indexes, MOST_COMPLETIONS);
}

/**
 * The number of indexes that end the Job, and the succeeded or failed indexes among them; these are all indexes or,
 * for a Job that repeats indexes of an earlier Job, the indexes of its grant.
 */
export function endingIndexes({
  job: { spec },
  grant,
  indexes,
}: {
  job: { spec: Pick<JobSpec, 'completions'> };
  grant: EffectiveGrant | null;
  indexes: IndexSets | null;
}): { completions: number | undefined; indexes: IndexSets | null } {
  const { completions } = spec;
  const all = { completions, indexes };
  if (indexes === null || grant?.isRetry !== true) return all;
  const own = intersection(grant.indexes, missingIndexes([], completions ?? 0));
  // A Job is not complete merely because its grant has no indexes.
  if (own.length === 0) return all;
  const { completed, failed } = indexes;
  return {
    completions: countIndexes(own),
    indexes: {
      completed: intersection(completed, own),
      failed: failed === null ? null : intersection(failed, own),
    },
  };
}
