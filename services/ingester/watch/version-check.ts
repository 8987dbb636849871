import { compareVersions } from '../../../workflows/job/definitions/resource-version.ts';
import { UnavailableError } from '../../adapters/errors.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { Furthest } from './furthest.ts';
import type { ApiList } from '../../adapters/kubernetes/watch.ts';

export interface VersionCheckDependencies {
  client: KubernetesClient;
  /** Records that versions have started over: `from` was reached, and a list was at `to`. */
  begin: (restored: { from: string; to: string }) => Promise<void>;
  /** Absent: the cluster has one shard. */
  furthest?: Furthest | undefined;
  /** @throws when another cluster is at this address: its versions say nothing of this one. */
  requireSame: () => Promise<void>;
  signal: AbortSignal;
}

/** A watch of a collection, and the version that it has reached. */
export interface ReachedVersion {
  resource: string;
  path: string;
  resourceVersion: string;
}

/**
 * Finds an API server that was restored from an older copy: its versions are below those that a watch had reached. Such a watch
 * would receive nothing, and no error. A list without resourceVersion is read from etcd itself, so it is never older than earlier
 * observations; a second list confirms it. @throws UnavailableError if versions have gone back: the watch must not be opened.
 */
export function createVersionCheck({
  client,
  begin,
  furthest,
  requireSame,
  signal,
}: VersionCheckDependencies): (reached: ReachedVersion) => Promise<void> {
  return async ({ resource, path, resourceVersion }) => {
    await requireSame();
    const others = (await furthest?.(resource)) ?? resourceVersion;
    const from = compareVersions(others, resourceVersion) > 0 ? others : resourceVersion;
    const latest = async (): Promise<string> => {
      const list = await client.request<ApiList<unknown>>({ method: 'GET', path: `${path}?limit=1`, signal });
      return list.metadata.resourceVersion;
    };
    const isBehind = async (): Promise<string | null> => {
      const version = await latest();
      return compareVersions(version, from) < 0 ? version : null;
    };
    const to = (await isBehind()) === null ? null : await isBehind();
    if (to === null) return;
    await begin({ from, to });
    throw new UnavailableError(
      `the API server was restored from an older copy: its resourceVersion is ${to}, and ${from} was seen before`,
    );
  };
}
