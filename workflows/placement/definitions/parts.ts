import { grantedIndexes, keptGrant } from '../../batch/index-grant.ts';
import {
  contains,
  difference,
  formatIndexes,
  parseIndexes,
  countIndexes,
  union,
  type Indexes,
} from '../../batch/completion-indexes.ts';
import type { ContinuedFailures } from '../../batch/facts.ts';
import type { MemberFacts, PlacedJobFacts } from '../facts.ts';
import type { PlacementGrant, PlacementState, IndexPart } from '../state.ts';

/** A grant of some indexes. */
export type PartGrant = PlacementGrant & { part: IndexPart };

/**
 * True when the Job runs in several clusters. A Job that has begun in several clusters stays there, whatever happens
 * to its annotation; before the Job begins, the author must ask for several clusters, and nothing may bind the pods
 * to one cluster (J-17.1).
 */
export function isSpread({ job, grants }: PlacementState): boolean {
  if (grants.length > 0) return grants.some(({ part }) => part !== undefined);
  if (job === null) return false;
  const { preferences, indivisible } = job;
  return preferences.spread !== undefined && preferences.invalid === undefined && indivisible === undefined;
}

/** The ended grants whose members have failures that are not known yet. */
export function unaccountedGrants({ grants }: PlacementState): (PartGrant & { member: MemberFacts })[] {
  return grants.filter(
    (grant): grant is PartGrant & { member: MemberFacts } =>
      grant.part !== undefined &&
      grant.ended !== undefined &&
      grant.member !== null &&
      grant.left === undefined,
  );
}

/** The failures of these indexes in the clusters that had them earlier (J-16.23); undefined without such failures. */
export function failuresLeft(
  { grants }: PlacementState,
  indexes: Indexes,
): NonNullable<ContinuedFailures['indexes']> | undefined {
  const found = grants.flatMap(({ left }) =>
    Object.entries(left?.failures.indexes ?? {}).filter(([index]) => contains(indexes, Number(index))),
  );
  // The latest grant of an index continued the count of the failures that earlier grants had left.
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** The grants that have not ended. */
export function openParts({ grants }: PlacementState): PartGrant[] {
  return grants.filter((grant): grant is PartGrant => grant.part !== undefined && grant.ended === undefined);
}

/** The indexes that members have completed and failed; `failed` is null without `backoffLimitPerIndex`. */
export interface Finished {
  completed: Indexes;
  failed: Indexes | null;
}

/**
 * The finished indexes of all members, including members of ended grants, and the indexes that the status of the Job
 * has shown (J-17.6).
 */
export function finishedIndexes({ grants }: PlacementState, { spec, status }: PlacedJobFacts): Finished {
  const { completions = 0 } = spec;
  const statuses = [status, ...grants.flatMap(({ member, earlier = {} }) => [member?.status ?? {}, earlier])];
  /** The indexes that the statuses list in this field. */
  const listedIndexes = (field: 'completedIndexes' | 'failedIndexes'): Indexes =>
    statuses.reduce<Indexes>((sum, each) => union(sum, parseIndexes(each[field] ?? '', completions)), []);
  const completed = listedIndexes('completedIndexes');
  // A success takes precedence (J-5.52): an index that failed in a lost cluster may have succeeded in the next
  // cluster.
  const failed =
    spec.backoffLimitPerIndex === undefined ? null : difference(listedIndexes('failedIndexes'), completed);
  return { completed, failed };
}

/** The indexes of a member that are not finished. */
export function openIn({ part }: PartGrant, finished: Finished, completions: number): Indexes {
  return difference(parseIndexes(part.indexes, completions), closedIndexes(finished));
}

/**
 * The indexes that a member has not finished itself: the member may run them, even if another member has finished
 * them.
 */
export function unfinishedItself({ part, member, earlier = {} }: PartGrant, completions: number): Indexes {
  return [member?.status ?? {}, earlier]
    .flatMap(({ completedIndexes, failedIndexes }) => [completedIndexes, failedIndexes])
    .reduce(
      (left, own) => difference(left, parseIndexes(own ?? '', completions)),
      parseIndexes(part.indexes, completions),
    );
}

/** The indexes that no open grant has, and that are not finished. */
export function freeIndexes(state: PlacementState, finished: Finished, completions: number): Indexes {
  const all: Indexes = completions > 0 ? [[0, completions - 1]] : [];
  const held = openParts(state).reduce<Indexes>(
    (sum, { part }) => union(sum, parseIndexes(part.indexes, completions)),
    [],
  );
  return difference(all, union(held, closedIndexes(finished)));
}

/** The indexes that are completed or failed. */
function closedIndexes({ completed, failed }: Finished): Indexes {
  return union(completed, failed ?? []);
}

/**
 * The indexes that a member has given up: it has acknowledged the indexes that it keeps (J-17.4). The value is null
 * before the acknowledgement, and when no index is taken back. Indexes that the Job does not have at present also
 * count, because the Job may have them again. A restored member may keep fewer indexes than before.
 */
export function givenUpBy({ part, member }: PartGrant): Indexes | null {
  const kept = member === null ? undefined : keptGrant({ status: member.status });
  if (kept?.number !== part.number) return null;
  const given = difference(grantedIndexes(part), grantedIndexes(kept));
  return part.keeps === undefined && countIndexes(given) === 0 ? null : given;
}

/**
 * The highest number of pods that a member may have at once: it starts no pod above its parallelism, and no pod without an index that it has not
 * finished itself (J-17.5).
 */
export function podBound({ part, member }: PartGrant, unfinished: Indexes): number {
  const parallelism = Math.max(part.parallelism, member?.spec.parallelism ?? 0);
  return Math.max(member?.status.active ?? 0, Math.min(parallelism, countIndexes(unfinished)));
}

/** The highest number of a grant of indexes that the member has, or has acknowledged: the member follows only a higher number. */
export function followedNumber({ grant, status }: MemberFacts): number {
  return Math.max(grant?.number ?? 0, keptGrant({ status })?.number ?? 0);
}

/**
 * The time for which a member is not asked again for indexes that it has not given up, in milliseconds, because their
 * pods may run for a long time.
 */
const BEGUN_MS = 300_000;

/** The part of a grant after its member has given up indexes at an instant. */
export function partWithout(
  { keeps, begun: before, ...part }: IndexPart,
  given: string,
  now: number,
): IndexPart {
  const indexes = difference(indexesIn(part.indexes), indexesIn(given));
  const refused = difference(indexes, indexesIn(keeps ?? part.indexes));
  const begun =
    countIndexes(refused) > 0
      ? { indexes: formatIndexes(union(indexesIn(before?.indexes ?? ''), refused)), until: now + BEGUN_MS }
      : before;
  return { ...part, indexes: formatIndexes(indexes), ...(begun !== undefined && { begun }) };
}

/**
 * The indexes among these that a member can be asked to give up; the member has recently refused to give up the other
 * indexes (J-17.4).
 */
export function indexesNotBegun({ part: { begun } }: PartGrant, indexes: Indexes, now: number): Indexes {
  return begun === undefined || begun.until <= now ? indexes : difference(indexes, indexesIn(begun.indexes));
}

/** True when `indexes` has no index that `others` does not have. */
export function containsIndexes(indexes: string, others: string): boolean {
  return countIndexes(difference(indexesIn(indexes), indexesIn(others))) === 0;
}

/** The indexes in a text of a grant as a set. */
function indexesIn(text: string): Indexes {
  return grantedIndexes({ indexes: text });
}
