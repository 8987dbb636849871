import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { TestCluster } from './cluster.ts';
import { eventually } from './eventually.ts';
import type { Installation } from './installation.ts';

/**
 * Copies the data of a cluster's etcd as of now, as if its machine had lost power. Returns a function that restores it. `writes`: so many
 * objects are written while the API server starts, so that its versions pass those that were lost before a service connects again.
 */
export function copyOfEtcd(
  installation: Installation,
  cluster = 'local',
): (options?: { writes?: number }) => Promise<void> {
  const { servers, stateDir } = installation;
  const data = join(stateDir, 'cluster', cluster, 'etcd');
  const restart = async (part: string): Promise<void> => {
    await installation.kill(`${cluster}-${part}`);
    await installation.answers(`${cluster}-${part}`);
  };
  const pid = servers.pid(`${cluster}-etcd`) ?? 0;
  process.kill(pid, 'SIGSTOP');
  cpSync(data, `${data}-copy`, { recursive: true });
  process.kill(pid, 'SIGCONT');
  return async ({ writes = 0 } = {}) => {
    // In the order of Kubernetes' documentation: no API server runs while etcd is restored.
    await servers.halt(`${cluster}-kube-apiserver`);
    // The running etcd keeps its open files; the next one finds the copy.
    renameSync(data, `${data}-lost-${Date.now()}`);
    renameSync(`${data}-copy`, data);
    await restart('etcd');
    const started = servers.start(`${cluster}-kube-apiserver`);
    await write(installation.clusters[cluster], writes);
    await started;
    for (const part of ['kube-controller-manager', 'kube-scheduler', 'node-agent']) await restart(part);
  };
}

const WRITE_LIMIT_SECONDS = 60;

async function write(cluster: TestCluster | undefined, count: number): Promise<void> {
  const path = '/api/v1/namespaces/default/configmaps';
  const body = { metadata: { generateName: 'written-' } };
  for (let written = 0; written < count; written += 1)
    await eventually('an object is written', WRITE_LIMIT_SECONDS, async () =>
      cluster?.client.request({ method: 'POST', path, body }).catch(() => undefined),
    );
}
