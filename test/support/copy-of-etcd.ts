import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from './installation.ts';

/**
 * Copies the data of a cluster's etcd as of now, as if its machine had lost power. Returns a function that restores it.
 */
export function copyOfEtcd(installation: Installation, cluster = 'local'): () => Promise<void> {
  const { servers, stateDir } = installation;
  const data = join(stateDir, 'cluster', cluster, 'etcd');
  const pid = servers.pid(`${cluster}-etcd`) ?? 0;
  process.kill(pid, 'SIGSTOP');
  cpSync(data, `${data}-copy`, { recursive: true });
  process.kill(pid, 'SIGCONT');
  return async () => {
    // The running etcd keeps its open files; the next one finds the copy.
    renameSync(data, `${data}-lost-${Date.now()}`);
    renameSync(`${data}-copy`, data);
    const parts = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'node-agent'];
    for (const part of parts.map((each) => `${cluster}-${each}`)) {
      await installation.kill(part);
      await installation.answers(part);
    }
  };
}
