import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPausingProxy, type PausingProxy } from './pausing-proxy.ts';

/** Proxies between programs and API servers, one for each cluster of a kubeconfig file. */
export interface Links {
  /** From a kubeconfig file makes that of the proxies. */
  through(kubeconfig: string): Promise<string>;
  /** Holds everything back between the programs and the cluster, until it is healed. */
  cut(cluster: string): void;
  heal(cluster: string): void;
  close(): Promise<void>;
}

interface Kubeconfig {
  clusters: { name: string; cluster: { server: string } }[];
}

export function startLinks(): Links {
  const directory = mkdtempSync(join(tmpdir(), 'jobledger-links-'));
  const proxies = new Map<string, PausingProxy>();
  const to = (cluster: string): PausingProxy => {
    const proxy = proxies.get(cluster);
    if (proxy === undefined) throw new Error(`no cluster ${cluster} in the kubeconfig`);
    return proxy;
  };
  return {
    async through(kubeconfig) {
      const config = JSON.parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
      for (const { name, cluster } of config.clusters) {
        const proxy = await startPausingProxy(new URL(cluster.server).host);
        proxies.set(name, proxy);
        cluster.server = `https://${proxy.address}`;
      }
      const file = join(directory, 'kubeconfig');
      writeFileSync(file, JSON.stringify(config));
      return file;
    },
    cut: (cluster) => to(cluster).pause(),
    heal: (cluster) => to(cluster).resume(),
    async close() {
      await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
