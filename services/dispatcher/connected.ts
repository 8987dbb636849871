import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { scanLiveTopic } from '../contracts/live-topic.ts';
import { together } from './together.ts';

/** Whether an ingester of this installation watches a cluster, or did. */
export type IsConnected = (cluster: string) => Promise<boolean>;

/**
 * Of a cluster that was imported the ledger holds Jobs that are nobody's to drive here: all that the live topic says of it is
 * its identity. An ingester writes there that it is connected before it appends the first fact, so a look that begins after a
 * fact was read finds it.
 */
export function createIsConnected(kafka: KafkaConnection): IsConnected {
  const connected = new Set<string>();
  const look = together(async (clusters: ReadonlySet<string>) => {
    await scanLiveTopic(kafka, ({ cluster, kind, value }) => {
      if (kind !== 'identity' && value !== null) connected.add(cluster);
    });
    return new Map([...clusters].map((cluster) => [cluster, connected.has(cluster)]));
  });
  return async (cluster) => connected.has(cluster) || (await look(cluster)) === true;
}
