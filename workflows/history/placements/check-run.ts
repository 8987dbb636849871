import { contains } from '../../batch/completion-indexes.ts';
import { isoTime } from '../../ledger/instants.ts';
import { CUT_MS } from './clock.ts';
import type { RecordedGrant, Size } from './recorded-grants.ts';
import { findRightToRun, type RightToRun } from './rights.ts';
import type { PodRun } from './pod-runs.ts';
import { CLOCK_TOLERANCE_MS, type PlacementFinding } from './types.ts';

/**
 * The reason why a pod may have run without a right to run. Instants are in milliseconds, by the clocks of Jobledger.
 */
export interface Suspicion {
  /** `uncounted` means that the index of the pod succeeded, and that the next member began without this success. */
  type: PlacementFinding['type'] | 'uncounted';
  /**
   * `accepted` means that the grant was ended without a proof. `unseen` means that the end of the pod is not
   * recorded.
   */
  level: 'certain' | 'short' | 'accepted' | 'unseen';
  from: number;
  until: number | null;
  message: string;
}

/** A grant, the next grant, and the pods of a cluster, which need not be the cluster of the grant. */
interface Ran {
  cluster: string;
  grant: RecordedGrant;
  next: RecordedGrant | undefined;
  sizes: readonly Size[];
  run: PodRun;
}

/** Compares the time of a pod, corrected by the clock of its cluster, with the grant of its member. */
export function checkRun(ran: Ran): Suspicion[] {
  const right = ran.cluster === ran.grant.cluster ? findRightToRun(ran.grant, ran.run) : null;
  if (right === null) return [runWithoutGrant(ran)];
  return [
    runBeforeGrant(ran, right),
    runAfterGrant(ran, right),
    repeatedRun(ran, right),
    uncountedRun(ran),
  ].filter((each) => each !== null);
}

/** The suspicion about a pod whose cluster never got the Job, or never got the index of the pod. */
function runWithoutGrant({ cluster, grant, run }: Ran): Suspicion {
  const message =
    cluster === grant.cluster
      ? `the pod ${run.name} ran index ${run.index}, which ${cluster} never had`
      : `the pod ${run.name} ran in ${cluster}, which never had the Job`;
  return { type: 'before-grant', level: 'certain', from: run.startedAt, until: run.endedAt, message };
}

/** The suspicion that a pod ran before its cluster got the Job; null without this suspicion. */
function runBeforeGrant({ grant, run }: Ran, right: RightToRun): Suspicion | null {
  const early = right.since - (run.startedAt + CUT_MS);
  if (early <= 0) return null;
  return {
    type: 'before-grant',
    level: early > CLOCK_TOLERANCE_MS ? 'certain' : 'short',
    from: run.startedAt,
    until: right.since,
    message: `the pod ${run.name} started ${secondsText(early)} before ${grant.cluster} got the Job`,
  };
}

/** The suspicion that a pod ran after its cluster had lost the Job; null without this suspicion. */
function runAfterGrant({ grant: { cluster }, run }: Ran, { end }: RightToRun): Suspicion | null {
  if (end === null) return null;
  const { startedAt, endedAt, overBy } = run;
  // The end of a pod is recorded after it occurred.
  const until = endedAt === null || overBy === null ? endedAt : Math.min(endedAt, overBy);
  const late = (until ?? startedAt) - end.at;
  const isUnproven = end.reason === 'lost' || end.reason === 'time';
  const span = { type: 'after-grant' as const, from: Math.max(end.at, startedAt), until };
  const lost = `${cluster} had lost the Job (${end.reason})`;
  if (late > 0) {
    const message =
      startedAt > end.at
        ? `the pod ${run.name} started ${secondsText(startedAt - end.at)} after ${lost}`
        : `the pod ${run.name} ran on for ${secondsText(late)} after ${lost}`;
    if (isUnproven) return { ...span, level: 'accepted', message };
    return { ...span, level: late > CLOCK_TOLERANCE_MS ? 'certain' : 'short', message };
  }
  if (until !== null || (overBy !== null && overBy <= end.at + CLOCK_TOLERANCE_MS)) return null;
  const message = `nobody saw the end of the pod ${run.name}, which ran when ${lost}`;
  return { ...span, level: isUnproven ? 'accepted' : 'unseen', message };
}

/** The suspicion that a pod ran an index that had succeeded in an earlier cluster; null without this suspicion. */
function repeatedRun({ grant, sizes, run }: Ran, right: RightToRun): Suspicion | null {
  if (run.index === null || !contains(right.completedBefore, run.index)) return null;
  if (hadFewerCompletions(sizes, run.index, { after: right.since, by: run.startedAt })) return null;
  return {
    type: 'repeated',
    level: 'certain',
    from: run.startedAt,
    until: run.endedAt,
    message: `the pod ${run.name} ran index ${run.index} in ${grant.cluster}, although this index had succeeded in another cluster before ${isoTime(right.since)}`,
  };
}

/**
 * The suspicion that the success of a pod was not counted before the next member began; a member that was stopped or
 * has an end has counted every pod before another cluster gets the Job.
 */
function uncountedRun({ grant, next, sizes, run }: Ran): Suspicion | null {
  const { index, countsAsSucceeded, startedAt, endedAt } = run;
  const isCounted = grant.end?.reason === 'stopped' || grant.end?.reason === 'ended';
  if (index === null || !countsAsSucceeded || !isCounted || next === undefined) return null;
  // Each member of a spread Job counts its own work.
  if (grant.tenures !== null) return null;
  if (contains(next.completedBefore, index)) return null;
  if (hadFewerCompletions(sizes, index, { after: endedAt ?? startedAt, by: next.since })) return null;
  return {
    type: 'uncounted',
    level: 'certain',
    from: startedAt,
    until: endedAt,
    message: `index ${index} had succeeded in ${grant.cluster} as the pod ${run.name}`,
  };
}

/** True when the Job has since had fewer completions, so that the earlier work of this index does not count. */
function hadFewerCompletions(
  sizes: readonly Size[],
  index: number,
  { after: from, by }: { after: number; by: number },
): boolean {
  /** True when an instant is between the two instants, within the tolerance of the clocks. */
  const isBetween = (at: number): boolean => at >= from - CLOCK_TOLERANCE_MS && at <= by + CLOCK_TOLERANCE_MS;
  return sizes.some(({ at, completions }) => completions <= index && isBetween(at));
}

function secondsText(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
