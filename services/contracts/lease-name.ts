/**
 * Name of the Lease for which ingesters of one installation compete in a cluster. Each installation has its own Lease,
 * because it has its own ledger (docs/decisions/0034).
 */
export function leaseName(cluster: string, installation: string): string {
  const words = cluster.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return `jobledger-ingester-${words.replaceAll(/^-|-$/g, '').slice(0, 180)}-${installation}`;
}
