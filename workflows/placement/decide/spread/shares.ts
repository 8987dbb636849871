import type { Candidate } from '../../settings.ts';
import type { SpreadBy } from '../../facts.ts';

/** A cluster that may run pods of the Job. */
interface Place {
  cluster: string;
  /** The number of pods of the Job that fit into the cluster, including its running pods; Infinity when unknown. */
  room: number;
  price: number;
}

/** The highest number of clusters between which a Job is divided. */
export const MOST_CLUSTERS = 10;

/**
 * The room for pods in the chosen clusters, the best cluster first. `active` is the number of the Job's own pods, by
 * cluster.
 */
export function toPlaces(ranked: readonly Candidate[], active: ReadonlyMap<string, number>): Place[] {
  return ranked.slice(0, MOST_CLUSTERS).map(({ cluster, room = Infinity, price = 0 }) => ({
    cluster,
    room: room + (active.get(cluster) ?? 0),
    price,
  }));
}

/**
 * Divides the pods that may run at once (J-17.2): `room` divides them in proportion to the room, `even` in equal
 * shares, and `price` fills the cheapest clusters up to their room. Pods that fit into no cluster wait in the first
 * cluster. Clusters without a share are absent.
 */
export function computeShares(
  by: SpreadBy,
  places: readonly Place[],
  parallelism: number,
): Record<string, number> {
  const shares =
    by === 'price'
      ? sharesByPrice(places, parallelism)
      : sharesByWeight(places, parallelism, weightBy(by, places));
  return Object.fromEntries(
    places.map(({ cluster }, at) => [cluster, shares[at] ?? 0] as const).filter(([, pods]) => pods > 0),
  );
}

/** The shares that fill the cheapest clusters up to their room. */
function sharesByPrice(places: readonly Place[], parallelism: number): number[] {
  const shares = places.map(() => 0);
  let left = parallelism;
  const cheapest = places
    .map((place, at) => ({ ...place, at }))
    .toSorted((a, b) => a.price - b.price || a.at - b.at);
  for (const { at, room } of cheapest) {
    shares[at] = Math.min(left, room);
    left -= shares[at];
  }
  const [first] = cheapest;
  if (first !== undefined && left > 0) shares[first.at] = (shares[first.at] ?? 0) + left;
  return shares;
}

/** The weight of a cluster by which the pods are divided. */
function weightBy(by: 'room' | 'even', places: readonly Place[]): (place: Place) => number {
  const known = places.map(({ room }) => room).filter(Number.isFinite);
  const most = Math.max(1, ...known);
  const isFull = known.length === places.length && known.every((room) => room <= 0);
  return ({ room }) => (by === 'even' || isFull ? 1 : Math.max(0, Number.isFinite(room) ? room : most));
}

/**
 * Whole numbers in proportion to the weights, whose sum is the parallelism; the largest remainders are rounded up.
 */
function sharesByWeight(
  places: readonly Place[],
  parallelism: number,
  weight: (place: Place) => number,
): number[] {
  const total = places.reduce((sum, place) => sum + weight(place), 0);
  if (total === 0) return places.map(() => 0);
  const exact = places.map((place) => (parallelism * weight(place)) / total);
  const shares = exact.map(Math.floor);
  const left = parallelism - shares.reduce((sum, each) => sum + each, 0);
  /** The remainder of a share after it was rounded down. */
  const remainder = (at: number): number => (exact[at] ?? 0) - (shares[at] ?? 0);
  const order = places.map((_place, at) => at).toSorted((a, b) => remainder(b) - remainder(a) || a - b);
  for (const at of order.slice(0, left)) shares[at] = (shares[at] ?? 0) + 1;
  return shares;
}
