import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { scanLiveTopic } from '../../live-topic/live-topic.ts';
import { batchCalls } from '../../adapters/waiting/batched.ts';

/** True when an ingester of this installation watches the cluster, or has watched it. */
export type IsConnected = (cluster: string) => Promise<boolean>;

/**
 * Looks up in the live topic which clusters are connected. The Jobs of an imported cluster must not be controlled, and
 * the live topic has only the identity of such a cluster. An ingester records its connection in the live topic before
 * it appends the first fact, so a lookup that follows the first fact finds the connection.
 */
export function createIsConnected(kafka: KafkaConnection): IsConnected {
  const connected = new Set<string>();
  const look = batchCalls(async (clusters: ReadonlySet<string>) => {
    await scanLiveTopic(kafka, ({ cluster, kind, value }) => {
      if (kind !== 'identity' && value !== null) connected.add(cluster);
    });
    return new Map([...clusters].map((cluster) => [cluster, connected.has(cluster)]));
  });
  return async (cluster) => connected.has(cluster) || (await look(cluster)) === true;
}
