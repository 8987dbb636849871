import { MAX_SHARDS } from './shards.ts';

/**
 * The name of the Lease for which ingesters of one installation compete in a cluster, or in a shard of it (`index`, from 1). Each
 * installation has its own Leases, because it has its own ledger (docs/decisions/0034).
 */
export function leaseName(cluster: string, installation: string, index = 1): string {
  const slug = cluster.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return `jobledger-ingester-${slug.replaceAll(/^-|-$/g, '').slice(0, 180)}-${installation}${index === 1 ? '' : `-${index}`}`;
}

/** The names of the Leases of all shards that a cluster may have. */
export function leaseNames(cluster: string, installation: string): string[] {
  return Array.from({ length: MAX_SHARDS }, (_, at) => leaseName(cluster, installation, at + 1));
}
