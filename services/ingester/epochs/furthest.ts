import { compareVersions } from '../../../workflows/ledger/resource-version.ts';
import { UnavailableError } from '../../adapters/errors.ts';
import { epochIn } from '../../live-topic/epoch.ts';
import type { LiveRecord } from '../../live-topic/live-topic.ts';
import { watchesResource } from '../../shards/watch-names.ts';
import { isPosition } from '../../live-topic/watches.ts';
import type { WatchPosition } from '../live-set/live-set.ts';

/**
 * The time for which the records are reused, in milliseconds, because the watches of a shard often begin again
 * together.
 */
const KEEP_MS = 5000;

/** The furthest version of a resource that the watches of all shards have reached; null without a watch. */
export type ReadFurthest = (resource: string) => Promise<string | null>;

/**
 * Reads in the live topic the versions that the other shards have reached. An API server that was restored from an
 * older copy may be behind these versions, but not behind the versions of this shard. `read` reads the live topic, and
 * `records` are the records that were just read. `onPassed` is called if another shard has begun the next epoch.
 * @throws UnavailableError after `onPassed`.
 */
export function createReadFurthest(
  cluster: string,
  epoch: number,
  {
    records,
    read,
    onPassed,
  }: { records: readonly LiveRecord[]; read: () => Promise<readonly LiveRecord[]>; onPassed: () => void },
): ReadFurthest {
  let last = { at: performance.now(), records: Promise.resolve(records) };
  const readRecent = (): Promise<readonly LiveRecord[]> => {
    if (performance.now() - last.at > KEEP_MS) last = { at: performance.now(), records: read() };
    return last.records;
  };
  return async (resource) => {
    const found = await readRecent();
    if (hasEpochPassed(cluster, epoch, found)) {
      onPassed();
      throw new UnavailableError('another shard has found that the API server was restored');
    }
    const versions = found.flatMap(({ cluster: of, key, kind, value }) => {
      if (of !== cluster || !isPosition({ kind }) || !watchesResource(resource, key)) return [];
      // The ingester wrote the topic, so the values have the shape of positions.
      const position = value as WatchPosition;
      return (position.epoch ?? 0) === epoch ? [position.resourceVersion] : [];
    });
    return versions.toSorted(compareVersions).at(-1) ?? null;
  };
}

/** True when a later epoch of the cluster has begun. */
export function hasEpochPassed(cluster: string, epoch: number, records: readonly LiveRecord[]): boolean {
  return (epochIn(cluster, records)?.epoch ?? 0) > epoch;
}
