import { messageOf } from '../adapters/errors.ts';
import type { Log } from '../adapters/process/log.ts';
import { pause } from '../adapters/waiting/pause.ts';
import type { ClusterWatches } from '../contracts/watches.ts';

/** The ingesters that watch each cluster, as Kafka has them; null while it does not answer. */
export type WatchesOfClusters = () => Promise<ReadonlyMap<string, ClusterWatches> | null>;

/** How long a request waits for Kafka, and for how long the records are taken for the present ones. */
const [ANSWER_MS, LASTS_MS] = [2000, 5000];

/**
 * Reads one at a time, only when asked. A reading that takes longer than a request waits goes on for later requests, which do not wait
 * for it again.
 */
export function watchesFrom(
  read: () => Promise<ReadonlyMap<string, ClusterWatches>>,
  log: Log,
  { answerMs = ANSWER_MS } = {},
): WatchesOfClusters {
  let latest: { watches: ReadonlyMap<string, ClusterWatches>; at: number } | undefined;
  let reading: { watches: Promise<ReadonlyMap<string, ClusterWatches> | null>; since: number } | undefined;
  const start = async (): Promise<ReadonlyMap<string, ClusterWatches> | null> => {
    try {
      latest = { watches: await read(), at: performance.now() };
      return latest.watches;
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'which ingesters watch the clusters cannot be read from Kafka');
      return null;
    } finally {
      reading = undefined;
    }
  };
  return async () => {
    if (latest !== undefined && performance.now() - latest.at < LASTS_MS) return latest.watches;
    reading ??= { watches: start(), since: performance.now() };
    const wait = Math.max(0, answerMs - (performance.now() - reading.since));
    const limit = new AbortController();
    try {
      return await Promise.race([reading.watches, pause(wait, limit.signal).then(() => null)]);
    } finally {
      limit.abort();
    }
  };
}
