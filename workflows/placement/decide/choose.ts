import type { Candidate } from '../settings.ts';
import type { PlacedJobFacts, PlacementPreferences } from '../facts.ts';

/** The chosen cluster, or the reason why each cluster is refused. */
export interface ClusterChoice {
  chosen: Candidate | null;
  /** The clusters that could take the Job, the best first, and the reasons why other clusters could not. */
  ranked: Candidate[];
  refused: { cluster: string; why: string }[];
}

/** The clusters that must not be chosen, with the reason for each cluster. */
export type Excluded = ReadonlyMap<string, string>;

/**
 * Chooses a cluster for a Job: excludes clusters (J-16.4), and then compares, in this order, whether the pods fit,
 * the author's order, the price, and the amount of room (J-16.5). Where no cluster has room, the pods wait in the
 * first cluster of this order. With `withRoom`, only a cluster in which at least one pod fits is chosen.
 */
export function choose(
  job: Pick<PlacedJobFacts, 'spec' | 'preferences'>,
  candidates: readonly Candidate[],
  { excluded, withRoom = false }: { excluded: Excluded; withRoom?: boolean },
): ClusterChoice {
  const refused: ClusterChoice['refused'] = [];
  const fit: Candidate[] = [];
  for (const candidate of candidates) {
    const why =
      whyNot(job.preferences, candidate, excluded) ?? (withRoom && !hasRoom(candidate) ? NO_ROOM : null);
    if (why === null) fit.push(candidate);
    else refused.push({ cluster: candidate.cluster, why });
  }
  const pods = podsAtOnce(job);
  const ranked = fit.toSorted(
    (a, b) =>
      rankOfRoom(a, pods) - rankOfRoom(b, pods) ||
      rankOfOrder(job.preferences, a) - rankOfOrder(job.preferences, b) ||
      (a.price ?? 0) - (b.price ?? 0) ||
      knownRoom(b) - knownRoom(a) ||
      (a.cluster < b.cluster ? -1 : 1),
  );
  const missing = namesIn(job.preferences).filter(
    (name) => !candidates.some(({ cluster }) => cluster === name),
  );
  for (const cluster of missing)
    refused.push({
      cluster,
      why: 'no cluster that the operator allows has this name',
    });
  return { chosen: ranked[0] ?? null, ranked, refused };
}

/** The number of pods that the Job runs at once. */
export function podsAtOnce({ spec }: Pick<PlacedJobFacts, 'spec'>): number {
  const { parallelism = 1, completions = Infinity } = spec;
  return Math.max(1, Math.min(parallelism, completions));
}

const NO_ROOM = 'no pod of the Job fits there now';

/** The reason why the Job does not go to a cluster, whatever room the cluster has; null when the Job may go to it. */
export function whyNot(
  preferences: PlacementPreferences,
  candidate: Candidate,
  excluded: Excluded,
): string | null {
  const { cluster, labels = {}, refused } = candidate;
  const { clusters } = preferences;
  if (clusters !== undefined && 'names' in clusters && !clusters.names.includes(cluster))
    return 'the Job does not name it';
  if (clusters !== undefined && 'labels' in clusters) {
    const other = Object.entries(clusters.labels).find(([key, value]) => labels[key] !== value);
    if (other !== undefined) return `it has no label ${other.join('=')}`;
  }
  return refused ?? excluded.get(cluster) ?? null;
}

/** True when a cluster may have room; a cluster whose room is unknown may have enough room. */
function hasRoom({ room = Infinity }: Candidate): boolean {
  return room >= 1;
}

/** The rank of a cluster by its room: 0 if all pods fit, 1 if some pods fit, 2 if no pod fits. */
function rankOfRoom({ room = Infinity }: Candidate, pods: number): number {
  return room >= pods ? 0 : room >= 1 ? 1 : 2;
}

/** The known room of a cluster; 0 when unknown. */
function knownRoom({ room = 0 }: Candidate): number {
  return room;
}

/** The rank of a cluster in the author's order. */
function rankOfOrder(preferences: PlacementPreferences, { cluster }: Candidate): number {
  return Math.max(0, namesIn(preferences).indexOf(cluster));
}

/** The clusters that the author names, in order. */
function namesIn({ clusters }: PlacementPreferences): readonly string[] {
  return clusters !== undefined && 'names' in clusters ? clusters.names : [];
}
