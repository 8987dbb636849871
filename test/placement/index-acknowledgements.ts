import { formatIndexes, parseIndexes, union } from '../../workflows/batch/completion-indexes.ts';
import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import type { PlacedWorld } from './a-placed-world.ts';

/** No Job of these tests has more indexes. */
const MOST = 100;

/** A member: its cluster and its name. */
type Place = readonly [cluster: string, name: string];

/** The controller of a member acknowledges what it was sent; it keeps the indexes that its pods have begun (J-17.4). */
export function acknowledge(world: PlacedWorld, at: Place, begun: string, status: JobStatus = {}): void {
  const [number, asked = ''] = grantedTo(world, at).split(':');
  const kept = union(parseIndexes(asked, MOST), parseIndexes(begun, MOST));
  showKept(world, at, `${number}:${formatIndexes(kept)}`, status);
}

/** The controller of a member shows that it keeps these indexes: `<number>:<indexes>`. */
export function showKept(world: PlacedWorld, [cluster, name]: Place, kept: string, status: JobStatus): void {
  world.shows(cluster, name, {
    startTime: '2026-03-01T12:00:00Z',
    ...status,
    conditions: [{ type: 'jobledger.dev/Indexes', status: 'True', reason: 'Granted', message: kept }],
  });
}

/** The indexes that a member was sent: `<number>:<indexes>`. */
export function grantedTo(world: PlacedWorld, [cluster, name]: Place): string {
  return world.job(cluster, name).metadata.annotations?.['jobledger.dev/indexes'] ?? '';
}

/** How many pods each of the two clusters has room for. */
export function setRooms(world: PlacedWorld, west: number, north: number): void {
  world.candidates = [
    { cluster: 'west', room: west, price: 1 },
    { cluster: 'north', room: north, price: 1 },
  ];
}
