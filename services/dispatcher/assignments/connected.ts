import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { scanLiveTopic } from '../../contracts/live-topic.ts';
import { batched } from './batched.ts';

/** True when an ingester of this installation watches a cluster, or did. */
export type IsConnected = (cluster: string) => Promise<boolean>;

/**
 * For an imported cluster, the ledger contains Jobs that nobody must drive here; the live topic has only the cluster's
 * identity. An ingester writes to the live topic that it is connected before it appends the first fact, so a lookup
 * that starts after a fact was read finds it.
 */
export function createIsConnected(kafka: KafkaConnection): IsConnected {
  const connected = new Set<string>();
  const look = batched(async (clusters: ReadonlySet<string>) => {
    await scanLiveTopic(kafka, ({ cluster, kind, value }) => {
      if (kind !== 'identity' && value !== null) connected.add(cluster);
    });
    return new Map([...clusters].map((cluster) => [cluster, connected.has(cluster)]));
  });
  return async (cluster) => connected.has(cluster) || (await look(cluster)) === true;
}
