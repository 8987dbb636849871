import { INDEXES_KEPT } from '../../kubernetes/names.ts';
import type { IndexGrant, JobFacts } from '../facts.ts';
import { trueCondition, type EndType } from './conditions.ts';
import { formatIndexes, indexesOf, parseIndexes, union, type Indexes } from './completion-indexes.ts';

/** Indexes are below it, as `completions` are in the API. */
const MOST_COMPLETIONS = 2 ** 31 - 1;

/**
 * Reads `<number>:<indexes>`, with the indexes as in a status, and `:Complete` or `:Failed` when the member is to end; null when it is
 * anything else.
 */
export function indexGrantIn(text: string): IndexGrant | null {
  const { number, indexes, end } =
    /^(?<number>\d{1,15}):(?<indexes>[-\d,]*)(?::(?<end>Complete|Failed))?$/.exec(text)?.groups ?? {};
  if (number === undefined || indexes === undefined) return null;
  if (formatIndexes(parseIndexes(indexes, MOST_COMPLETIONS)) !== indexes) return null;
  return { number: Number(number), indexes, ...(end !== undefined && { end: end as EndType }) };
}

/** As the annotation and the condition have it. */
export function grantText({ number, indexes, end }: IndexGrant): string {
  return `${number}:${indexes}${end === undefined ? '' : `:${end}`}`;
}

/** The latest grant that the Job has acknowledged; null before the first. It stays when the API server is restored from an older copy. */
export function keptGrant({ status, kept }: Pick<JobFacts, 'status' | 'kept'>): IndexGrant | null {
  const { message = '' } = trueCondition(status, INDEXES_KEPT) ?? {};
  const shown = indexGrantIn(message);
  return shown !== null && shown.number >= (kept?.number ?? 0) ? shown : (kept ?? null);
}

/** A grant with its indexes as a set. */
export type HeededGrant = Omit<IndexGrant, 'indexes'> & { indexes: Indexes };

/**
 * The Job may run, and acknowledges, the grant of its annotation and the indexes that it has begun, whose pods would otherwise
 * run in two clusters. An acknowledged set does not grow until the next grant. Null: it may run all indexes.
 */
export function heededGrant(job: JobFacts, begun: readonly number[]): HeededGrant | null {
  const kept = keptGrant(job);
  const asked = job.annotations?.indexes;
  if (asked === undefined || (kept !== null && asked.number <= kept.number))
    return kept === null ? null : { ...kept, indexes: grantedIndexes(kept) };
  return { ...asked, indexes: union(grantedIndexes(asked), indexesOf(begun)) };
}

export function grantedIndexes({ indexes }: Pick<IndexGrant, 'indexes'>): Indexes {
  return parseIndexes(indexes, MOST_COMPLETIONS);
}
