import {
  difference,
  formatIndexes,
  lowestIndexes,
  countIndexes,
  union,
  type Indexes,
} from '../../../batch/completion-indexes.ts';
import { grantedIndexes } from '../../../batch/index-grant.ts';
import type { Reason } from '../../../decision/reason.ts';
import type { PlacementState } from '../../state.ts';
import {
  podBound,
  freeIndexes,
  givenUpBy,
  indexesNotBegun,
  openIn,
  unfinishedItself,
  type Finished,
  type PartGrant,
} from '../../definitions/parts.ts';

/** The next parallelism and indexes of a member. */
export interface Wanted {
  parallelism: number;
  /**
   * The indexes that the member gets in addition to its own, or the only indexes that it must keep; absent when its
   * indexes do not change.
   */
  indexes?: string;
  /** The reason why the indexes change. */
  why?: Reason;
}

/** A new member. */
export interface NewPart {
  cluster: string;
  indexes: string;
  parallelism: number;
}

export interface Distribution {
  wanted: ReadonlyMap<number, Wanted>;
  created: NewPart[];
}

/** The work that is divided between the clusters. */
export interface Whole {
  completions: number;
  /** The number of pods that may run at once in all clusters together. */
  parallelism: number;
  finished: Finished;
  free: Indexes;
  /** The unfinished indexes of each member, by the number of the grant. */
  openByGrant: ReadonlyMap<number, Indexes>;
  /** The share of each cluster, by name. */
  shares: Readonly<Record<string, number>>;
  /** The grants that have not ended. */
  open: readonly PartGrant[];
  /**
   * The grants whose members can be given indexes, and from whose members indexes can be taken: the clusters answer, and the members are not stopped.
   */
  steady: readonly PartGrant[];
  /**
   * The indexes that each member would run although another member has finished them, by the number of the grant of
   * the first member. For example, a member of an ended grant may have returned and finished indexes before it was
   * stopped again (J-16.18).
   */
  doneElsewhere: ReadonlyMap<number, Indexes>;
  /** The highest number of pods that each member may have at once, by the number of the grant. */
  boundByGrant: ReadonlyMap<number, number>;
  /** The instant of the decision, in milliseconds. */
  now: number;
}

type Computed = 'free' | 'openByGrant' | 'doneElsewhere' | 'boundByGrant';

/** The work that is divided between the clusters, with the values that are computed from it. */
export function toWhole(state: PlacementState, whole: Omit<Whole, Computed>): Whole {
  const { finished, completions, now } = whole;
  const each = whole.open.map((grant) => {
    const open = openIn(grant, finished, completions);
    const unfinished = unfinishedItself(grant, completions);
    const done = indexesNotBegun(grant, difference(unfinished, open), now);
    return { number: grant.number, open, done, bound: podBound(grant, unfinished) };
  });
  return {
    ...whole,
    free: freeIndexes(state, finished, completions),
    openByGrant: new Map(each.map(({ number, open }) => [number, open])),
    doneElsewhere: new Map(each.map(({ number, done }) => [number, done])),
    boundByGrant: new Map(each.map(({ number, bound }) => [number, bound])),
  };
}

/** The indexes of a member that are not finished. */
function openIndexes({ openByGrant }: Whole, { number }: PartGrant): Indexes {
  return openByGrant.get(number) ?? [];
}

/** The smallest number of rounds of its pods for which a member gets indexes. */
const ROUNDS = 2;
/** A member gets more indexes when its indexes suffice for fewer rounds than this number. */
const REPLENISHED_BELOW = 1.5;

/** The maximum number of ranges of indexes of a member. */
const MOST_RANGES = 1000;

/**
 * Gives free indexes to the members, the lowest indexes first. Each member gets the indexes that it needs next, and a
 * part of the remaining indexes by its share, so that there are few grants of indexes, and they get smaller towards
 * the end (J-17.3). Each member leaves as many free indexes as the pods of the other members need to stay busy. No
 * more pods run in all clusters together than the Job allows (J-17.5).
 */
export function distribute(whole: Whole): Distribution {
  const { shares, steady, open, parallelism, boundByGrant } = whole;
  const bounds = [...boundByGrant.values()].reduce((sum, bound) => sum + bound, 0);
  let headroom = Math.max(0, parallelism - bounds);
  // Only the author can have lowered the parallelism, because a smaller share alone never ends a running pod.
  const isLowered = bounds > parallelism;
  const unshared = isLowered ? steady.filter(({ cluster }) => !(cluster in shares)) : [];
  let { free } = whole;
  const wanted = new Map<number, Wanted>();
  const created: NewPart[] = [];
  const needs = new Map(
    Object.entries(shares).map(([cluster, share]) => [cluster, neededIndexes(whole, cluster, share)]),
  );
  let needed = [...needs.values()].reduce((sum, count) => sum + count, 0);
  /**
   * Takes indexes from the free indexes: at most `count`, and only as many as the other members can spare, except for
   * the `need` of this member.
   */
  const takeFree = (count: number, need: number, has: Indexes = []): Indexes => {
    const most = Math.max(need, countIndexes(free) - needed);
    const given = lowestIndexes(free, Math.min(count, most)).slice(0, Math.max(0, MOST_RANGES - has.length));
    free = difference(free, given);
    return given;
  };
  const taken = new Set(open.map(({ cluster }) => cluster));
  const all = [...Object.entries(shares), ...unshared.map(({ cluster }) => [cluster, 0] as const)];
  for (const [cluster, share] of all) {
    const grant = steady.find((each) => each.cluster === cluster);
    const need = needs.get(cluster) ?? 0;
    needed -= need;
    if (grant === undefined) {
      const pods = Math.min(share, headroom);
      // A cluster has one member, but an earlier member may still be stopping.
      if (taken.has(cluster) || pods === 0 || countIndexes(free) === 0) continue;
      const gift = takeFree(targetIndexCount(whole, { cluster, pods, has: 0 }), need);
      headroom -= Math.min(pods, countIndexes(gift));
      created.push({
        cluster,
        parallelism: pods,
        indexes: formatIndexes(gift),
      });
      continue;
    }
    const has = countIndexes(openIndexes(whole, grant));
    const bound = boundByGrant.get(grant.number) ?? 0;
    const most = bound + headroom;
    const held = grant.part.parallelism;
    const pods = podsToKeep(held, { share, has, most, isLowered });
    // A member whose number of pods must fall first finishes the indexes that it has begun.
    const isGivingUp = givesUp(grant) || countIndexes(whole.doneElsewhere.get(grant.number) ?? []) > 0;
    const isShort = has < pods * REPLENISHED_BELOW && share >= pods && !isGivingUp;
    const lacks = isShort ? targetIndexCount(whole, { cluster, pods, has }) - has : 0;
    const own = grantedIndexes(grant.part);
    // With more indexes, a member runs more pods, up to its parallelism.
    const gift = takeFree(pods <= most ? lacks : Math.min(lacks, Math.max(0, most - has)), need, own);
    headroom -= Math.max(0, Math.min(pods, has + countIndexes(gift)) - bound);
    if (pods === held && countIndexes(gift) === 0) continue;
    const message = `the cluster ${cluster} gets the indexes ${formatIndexes(gift)}`;
    wanted.set(grant.number, {
      parallelism: pods,
      ...(countIndexes(gift) > 0 && {
        indexes: formatIndexes(union(own, gift)),
        why: { rule: 'J-17.3', message },
      }),
    });
  }
  return { wanted, created };
}

/**
 * The number of indexes that a cluster lacks so that each pod of its share has an index; 0 when the cluster cannot be
 * given indexes.
 */
function neededIndexes(whole: Whole, cluster: string, share: number): number {
  const { open, steady } = whole;
  const grant = steady.find((each) => each.cluster === cluster);
  if (grant === undefined) return open.some((each) => each.cluster === cluster) ? 0 : share;
  return Math.max(0, share - countIndexes(openIndexes(whole, grant)));
}

/**
 * The parallelism of a member with a new share: a smaller share does not end a running pod, so the parallelism falls
 * once the member has no more indexes than the share.
 */
function podsToKeep(
  held: number,
  { share, has, most, isLowered }: { share: number; has: number; most: number; isLowered: boolean },
): number {
  if (share < held) return has <= share || isLowered ? share : held;
  return Math.max(held, Math.min(share, most));
}

/** The number of open indexes that a member should have. */
function targetIndexCount(
  { shares, free, openByGrant }: Whole,
  { cluster, pods, has }: { cluster: string; pods: number; has: number },
): number {
  const all = Object.values(shares).reduce((sum, each) => sum + each, 0);
  const left = [...openByGrant.values()].reduce(
    (sum, indexes) => sum + countIndexes(indexes),
    countIndexes(free),
  );
  const fair = Math.ceil((left * (shares[cluster] ?? 0)) / Math.max(1, all) / ROUNDS);
  return Math.max(has, pods * ROUNDS, fair);
}

/**
 * Takes back indexes that no pod has begun (J-17.4): indexes that other members have finished, and indexes of a
 * member whose share has become smaller. When no index is free, it also takes indexes for members that have no index
 * to run. The highest indexes are taken, because members begin with the lowest indexes.
 */
export function takeBack(whole: Whole): Map<number, Wanted> {
  const { shares, steady } = whole;
  const ready = steady
    .filter((grant) => !givesUp(grant) && grant.member?.grant?.number === grant.part.number)
    .map((grant) => {
      const open = openIndexes(whole, grant);
      const share = shares[grant.cluster] ?? 0;
      const unbegun = indexesNotBegun(grant, open, whole.now);
      const most = Math.max(0, Math.min(countIndexes(open) - share, countIndexes(unbegun)));
      return { grant, open, unbegun, share, most };
    });
  const idle = countIndexes(whole.free) > 0 ? 0 : idlePods(whole);
  const all = ready.reduce((sum, { most }) => sum + most, 0);
  return new Map(
    ready.flatMap(({ grant, open, unbegun, share, most }) => {
      const isTooLarge = share < grant.part.parallelism;
      const back = isTooLarge ? most : Math.min(most, Math.ceil((idle * most) / Math.max(1, all)));
      const done = whole.doneElsewhere.get(grant.number) ?? [];
      if (back + countIndexes(done) === 0) return [];
      // The member keeps the indexes that it has finished itself, so that there are few ranges.
      const own = grantedIndexes(grant.part);
      const last = difference(unbegun, lowestIndexes(unbegun, countIndexes(unbegun) - back));
      const keeps = formatIndexes(difference(own, union(last, done)));
      const reason = isTooLarge ? 'its share is smaller' : 'other clusters have nothing to do';
      const parts = [
        ...(back > 0 ? [{ what: `${back} of ${countIndexes(open)} indexes`, reason }] : []),
        ...(countIndexes(done) > 0
          ? [{ what: `the indexes ${formatIndexes(done)}`, reason: 'another member has finished them' }]
          : []),
      ];
      const message = parts
        .map(
          (each) =>
            `the cluster ${grant.cluster} is to give up ${each.what}, unless a pod has begun them: ${each.reason}`,
        )
        .join('; ');
      const why = { rule: 'J-17.4', message } as const;
      return [[grant.number, { parallelism: grant.part.parallelism, indexes: keeps, why }] as const];
    }),
  );
}

/** True when the member was asked to give up indexes, or has given up indexes that are not collected yet. */
function givesUp(grant: PartGrant): boolean {
  return grant.part.keeps !== undefined || givenUpBy(grant) !== null;
}

/** The number of additional pods that could run in clusters that have no index to run and can be given indexes. */
function idlePods(whole: Whole): number {
  const { shares, open, steady } = whole;
  return Object.entries(shares).reduce((sum, [cluster, share]) => {
    const grant = open.find((each) => each.cluster === cluster);
    if (grant !== undefined && (!steady.includes(grant) || givesUp(grant))) return sum;
    const has = grant === undefined ? 0 : countIndexes(openIndexes(whole, grant));
    return sum + Math.max(0, share - has);
  }, 0);
}

/** The members whose controller has given up indexes, and these indexes. */
export function toCollect({ steady }: Whole): { grant: PartGrant; of: string }[] {
  return steady.flatMap((grant) => {
    const given = givenUpBy(grant);
    return given === null ? [] : [{ grant, of: formatIndexes(given) }];
  });
}
