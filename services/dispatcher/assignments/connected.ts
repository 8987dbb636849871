import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { scanLiveTopic } from '../../contracts/live-topic.ts';
import { inOneRequest } from './batched.ts';

/** True when an ingester of this installation watches the cluster, or has watched it. */
export type IsConnected = (cluster: string) => Promise<boolean>;

/**
 * The Jobs of an imported cluster must not be controlled here; the live topic has only the cluster's identity. An
 * ingester records its connection in the live topic before it appends the first fact, so a lookup after reading a
 * fact finds it.
 */
export function createIsConnected(kafka: KafkaConnection): IsConnected {
  const connected = new Set<string>();
  const look = inOneRequest(async (clusters: ReadonlySet<string>) => {
    await scanLiveTopic(kafka, ({ cluster, kind, value }) => {
      if (kind !== 'identity' && value !== null) connected.add(cluster);
    });
    return new Map([...clusters].map((cluster) => [cluster, connected.has(cluster)]));
  });
  return async (cluster) => connected.has(cluster) || (await look(cluster)) === true;
}
