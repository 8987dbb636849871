import { nothing } from '../../../decision/verdict.ts';
import { isSameJson } from '../../../ledger/digest.ts';
import { countIndexes } from '../../../batch/completion-indexes.ts';
import { freeIndexes, openIn, openParts, unaccountedGrants } from '../../definitions/parts.ts';
import { choose } from '../choose.ts';
import { excludedNow } from '../excluded.ts';
import { waitForCandidates, refusedText } from '../give.ts';
import { combineVerdicts, report, planCommands } from '../plans.ts';
import type { PlacementSituation, PlacementVerdict } from '../situation.ts';
import { toPlaces, computeShares } from './shares.ts';
import type { Totals } from './totals.ts';

/** The interval at which the room of the clusters is read while indexes remain to be given, in milliseconds. */
const LOOK_AGAIN_MS = 30_000;
/** The interval at which the room is read while no cluster has a share, in milliseconds. */
const LOOK_SOON_MS = 10_000;
/** A share does not change while the change would be less than this fraction of all pods. */
const NOTICED = 0.1;

interface Shared {
  shares: Readonly<Record<string, number>>;
  verdict: PlacementVerdict;
}

/** Regularly computes the number of pods that may run at once in each cluster (J-17.2). */
export function shareOut(at: PlacementSituation, totals: Totals): Shared {
  const { state, job, now, settings } = at;
  const { parallelism = 1 } = job.spec;
  const known = state.shares;
  // An annotation that became invalid does not change the grants that were given; the same rule applies to a Job in
  // one cluster.
  if (known !== null && job.preferences.invalid !== undefined)
    return { shares: known.pods, verdict: nothing };
  const isWhole = known !== null && (hasNoShare(known.pods) || sumShares(known.pods) === parallelism);
  const isUsable = known !== null && Object.keys(known.pods).every((cluster) => mayRun(at, cluster));
  const due = known === null ? now : known.at + (hasNoShare(known.pods) ? LOOK_SOON_MS : LOOK_AGAIN_MS);
  const isAccounted = unaccountedGrants(state).length === 0;
  if (known !== null && isWhole && isUsable && isAccounted && (due > now || !isMovable(at, totals)))
    return {
      shares: known.pods,
      verdict: {
        ...nothing,
        nextDecisionAt: isMovable(at, totals) ? due : null,
        waiting: isNowhere(at, known.pods) ? state.waiting : null,
      },
    };
  if (settings.candidates === undefined)
    return {
      shares: known?.pods ?? {},
      verdict: { ...nothing, candidates: 'missing' },
    };
  const { unread: why } = settings.candidates;
  if (why !== undefined) {
    const verdict = waitForCandidates(at, why);
    const waiting = isNowhere(at, known?.pods ?? {}) ? verdict.waiting : null;
    return { shares: known?.pods ?? {}, verdict: { ...verdict, waiting } };
  }
  const choice = choose(job, settings.candidates.clusters, {
    excluded: excludedNow(state, settings, now),
  });
  const active = new Map(
    openParts(state).map(({ cluster, member }) => [cluster, member?.status.active ?? 0]),
  );
  const next = computeShares(job.preferences.spread ?? 'even', toPlaces(choice.ranked, active), parallelism);
  const shares =
    known !== null && isWhole && isUsable && isSimilar(known.pods, next, parallelism) ? known.pods : next;
  const refused = choice.refused.length === 0 ? '' : `; not ${refusedText(choice.refused)}`;
  const message = `${parallelism} pods at once by ${job.preferences.spread ?? ''}: ${sharesText(shares)}${refused}`;
  const isStillEmpty = known !== null && hasNoShare(known.pods) && hasNoShare(shares);
  const shared = isStillEmpty
    ? nothing
    : planCommands(at, { kind: 'ShareOut', shares, why: { rule: 'J-17.2', message } });
  const nowhere = isNowhere(at, shares) ? `no cluster can take the Job${refused}` : null;
  const verdict =
    nowhere === null ? shared : combineVerdicts(shared, report(at, 'Warning', 'NoCluster', nowhere));
  return {
    shares,
    verdict: {
      ...verdict,
      candidates: 'read',
      nextDecisionAt: now + (hasNoShare(shares) ? LOOK_SOON_MS : LOOK_AGAIN_MS),
      waiting: nowhere === null ? verdict.waiting : { rule: 'J-16.4', message: nowhere },
    },
  };
}

/** True when no cluster has the Job, and no cluster can take it. */
function isNowhere({ state }: PlacementSituation, shares: Record<string, number>): boolean {
  return hasNoShare(shares) && openParts(state).length === 0;
}

/**
 * True when a cluster may run pods of the Job; a cluster that is cordoned, does not answer or has recently refused a
 * member keeps its members.
 */
function mayRun({ state, settings, now }: PlacementSituation, cluster: string): boolean {
  const { cordoned, lost, silentSince } = settings.clusters?.[cluster] ?? {};
  if (lost !== undefined || cordoned?.drain === true) return false;
  const hasMember = openParts(state).some(
    (grant) => grant.cluster === cluster && grant.stopping === undefined,
  );
  const isSetBack = (state.setbacks[cluster]?.until ?? 0) > now;
  return hasMember || (cordoned === undefined && silentSince === undefined && !isSetBack);
}

/**
 * True when some indexes could still run in other clusters, because the indexes are free, or because no pod has begun
 * them.
 */
function isMovable({ state, job }: PlacementSituation, { finished }: Totals): boolean {
  const { completions = 0 } = job.spec;
  if (countIndexes(freeIndexes(state, finished, completions)) > 0) return true;
  return openParts(state).some(
    (grant) => countIndexes(openIn(grant, finished, completions)) > (grant.member?.status.active ?? 0),
  );
}

/** True when two shares differ by so little that the shares do not change. */
function isSimilar(a: Record<string, number>, b: Record<string, number>, parallelism: number): boolean {
  if (isSameJson(Object.keys(a).toSorted(), Object.keys(b).toSorted()))
    return Object.entries(a).every(
      ([cluster, pods]) => Math.abs(pods - (b[cluster] ?? 0)) <= parallelism * NOTICED,
    );
  return false;
}

/** True when no cluster has a share. */
function hasNoShare(shares: Record<string, number>): boolean {
  return Object.keys(shares).length === 0;
}

/** The number of pods in all shares. */
function sumShares(shares: Record<string, number>): number {
  return Object.values(shares).reduce((total, pods) => total + pods, 0);
}

/** The shares as text. */
function sharesText(shares: Record<string, number>): string {
  const parts = Object.entries(shares).map(([cluster, pods]) => `${cluster} ${pods}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}
