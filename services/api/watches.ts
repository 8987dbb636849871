import type { Log } from '../adapters/process/log.ts';
import type { ClusterWatches } from '../live-topic/watches.ts';
import { createLatestReader } from './latest.ts';

/** The ingesters that watch each cluster, according to Kafka; null while Kafka does not answer. */
export type WatchesOfClusters = () => Promise<ReadonlyMap<string, ClusterWatches> | null>;

/** Returns a function that returns the watches of the clusters, or null while Kafka does not answer. */
export function createWatchesReader(
  read: () => Promise<ReadonlyMap<string, ClusterWatches>>,
  log: Log,
  options: { answerMs?: number } = {},
): WatchesOfClusters {
  const failed = 'which ingesters watch the clusters cannot be read from Kafka';
  return createLatestReader(read, { log, failed, ...options });
}
