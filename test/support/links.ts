import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultyRequests } from '../kills/faulty-requests.ts';
import { startWatchProxy } from '../kills/watch-proxy.ts';
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

/** `requestsTo`: the faults of requests to a cluster. Default: they have none. */
export function startLinks(requestsTo?: (cluster: string) => Pick<FaultyRequests, 'nextFault'>): Links {
  const directory = mkdtempSync(join(tmpdir(), 'jobledger-links-'));
  const proxies = new Map<string, PausingProxy>();
  const behind: { stop(): Promise<void> }[] = [];
  const to = (cluster: string): PausingProxy => {
    const proxy = proxies.get(cluster);
    if (proxy === undefined) throw new Error(`no cluster ${cluster} in the kubeconfig`);
    return proxy;
  };
  return {
    async through(kubeconfig) {
      const config = JSON.parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
      for (const { name, cluster } of config.clusters) {
        const faulty =
          requestsTo === undefined
            ? undefined
            : await startWatchProxy(kubeconfig, name, { requests: requestsTo(name) });
        if (faulty !== undefined) behind.push(faulty);
        const proxy = await startPausingProxy(faulty?.address ?? new URL(cluster.server).host);
        proxies.set(name, proxy);
        cluster.server = `${faulty === undefined ? 'https' : 'http'}://${proxy.address}`;
      }
      const file = join(directory, 'kubeconfig');
      writeFileSync(file, JSON.stringify(config));
      return file;
    },
    cut: (cluster) => to(cluster).pause(),
    heal: (cluster) => to(cluster).resume(),
    async close() {
      await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
      await Promise.all(behind.map((proxy) => proxy.stop()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
