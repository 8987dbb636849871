/**
 * One ingester of an installation is active for a cluster. Two installations have two ledgers, so each has a Lease of its
 * own there (docs/decisions/0034).
 */
export function leaseName(cluster: string, installation: string): string {
  const words = cluster.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return `jobledger-ingester-${words.replaceAll(/^-|-$/g, '').slice(0, 180)}-${installation}`;
}
