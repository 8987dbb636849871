import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { applyOurManifests } from '../../infra/local/cluster/local-cluster.ts';
import type { Installation } from './installation.ts';

const SERVERS = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'node-agent',
] as const;

/**
 * Replaces the machines of a cluster by empty ones of the same name and addresses: its pods end, and nothing is left in etcd. Then sets
 * it up as an operator does, with our accounts and the namespace.
 */
export async function wipeCluster(
  { servers, stateDir, clusters }: Installation,
  name: string,
  namespace: string,
): Promise<void> {
  const cluster = clusters[name];
  if (cluster === undefined) throw new Error(`no cluster ${name}`);
  // The node ends its containers before it stops, and can report nothing of that.
  await servers.halt(`${name}-kube-apiserver`);
  for (const part of SERVERS.toReversed()) await servers.halt(`${name}-${part}`);
  for (const folder of ['etcd', 'node']) rmSync(join(stateDir, 'cluster', name, folder), { recursive: true });
  for (const part of SERVERS) {
    if (part === 'kube-controller-manager') await applyOurManifests(cluster.client);
    await servers.start(`${name}-${part}`);
  }
  await cluster.inNewNamespace(namespace);
}
