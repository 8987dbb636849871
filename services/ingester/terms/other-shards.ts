import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { leaseHolder } from '../../adapters/kubernetes/lease-holder.ts';
import { readLease } from '../../adapters/kubernetes/lease.ts';
import { leaseNames } from '../../shards/lease-name.ts';
import type { Shard } from '../../shards/shards.ts';
import { shardsIn } from '../../shards/watched.ts';

/**
 * A text that names a running ingester with a Lease of another number of shards; null without such an ingester. The
 * other ingester may record the same namespaces. The caller must hold the Lease of its shard: of two ingesters that
 * begin at the same time, at least one then finds the other.
 */
export async function findOtherShards(
  client: KubernetesClient,
  {
    shard,
    leaseNamespace: namespace,
    installation,
    signal,
  }: { shard: Shard; leaseNamespace: string; installation: string; signal: AbortSignal },
): Promise<string | null> {
  const found = await Promise.all(
    leaseNames(client.cluster, installation).map(async (name) => {
      const lease = { client, namespace, name, signal };
      const present = await readLease(lease);
      const shards = present === null ? shard.of : shardsIn(present);
      if (shards === shard.of) return null;
      const holder = await leaseHolder(lease);
      return holder === null
        ? null
        : `${holder} holds the Lease ${name}, for a cluster divided into ${shards} ${shards === 1 ? 'shard' : 'shards'}`;
    }),
  );
  return found.find((message) => message !== null) ?? null;
}
