import type { ListedPlacement } from '../../api/rows.ts';
import { countInSet, unionSets } from './index-sets.ts';

/** The indexes that a cluster had in a period. `to` is null as long as the cluster has them. */
export interface ShareStep {
  from: number;
  to: number | null;
  indexes: string;
  count: number;
}

/** The indexes that a cluster had of a spread Job, over time. */
export interface Share {
  cluster: string;
  steps: ShareStep[];
}

interface GrantedSet {
  indexes: string;
  from: number;
  to: number;
}

/** The clusters of a spread Job by name, each with its sets of indexes in order; empty for any other Job. */
export function toShares(placements: readonly ListedPlacement[]): Share[] {
  const byCluster = new Map<string, GrantedSet[]>();
  for (const { placed_in: cluster, granted: held } of placements) {
    if (held === null) continue;
    const sets = held.map(({ indexes, since, until }) => ({
      indexes,
      from: Date.parse(since),
      to: until === null ? Number.POSITIVE_INFINITY : Date.parse(until),
    }));
    byCluster.set(cluster, [...(byCluster.get(cluster) ?? []), ...sets]);
  }
  return [...byCluster]
    .map(([cluster, sets]) => ({ cluster, steps: shareSteps(sets) }))
    .toSorted((a, b) => a.cluster.localeCompare(b.cluster, 'en'));
}

/** The periods in which a cluster had the same indexes, from the granted sets. */
function shareSteps(sets: readonly GrantedSet[]): ShareStep[] {
  const instants = [...new Set(sets.flatMap(({ from, to }) => [from, to]))].toSorted((a, b) => a - b);
  const steps: ShareStep[] = [];
  for (const [place, from] of instants.entries()) {
    const to = instants[place + 1] ?? Number.POSITIVE_INFINITY;
    const indexes = unionSets(
      sets.filter((set) => set.from <= from && set.to > from).map((set) => set.indexes),
    );
    const last = steps.at(-1);
    if (from === to || indexes === '') continue;
    if (last?.to === from && last.indexes === indexes) last.to = to;
    else steps.push({ from, to, indexes, count: countInSet(indexes) });
  }
  return steps.map((step) => ({ ...step, to: step.to === Number.POSITIVE_INFINITY ? null : step.to }));
}

/** The largest number of sets that the text about a cluster names. */
const NAMED = 4;

/** The indexes that a cluster had by an instant, as text. */
export function shareText({ cluster, steps }: Share, at: number | null): string {
  const known = steps.filter(({ from }) => at === null || from <= at);
  if (known.length === 0) return `${cluster} had no index`;
  const last = known.slice(-NAMED).map(({ indexes }) => indexes.slice(0, 100));
  const earlier = known.length > NAMED ? 'at last ' : '';
  const over = known.at(-1)?.to ?? null;
  const end = over !== null && (at === null || over <= at) ? ', then none' : '';
  return `${cluster} had the indexes ${earlier}${last.join(', then ')}${end}`;
}
