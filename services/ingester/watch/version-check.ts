import { compareVersions } from '../../../workflows/job/definitions/resource-version.ts';
import { UnavailableError } from '../../adapters/errors.ts';
import { ANSWERS_FROM_LEVEL } from '../../adapters/events/feature-levels.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { Refusals } from '../../adapters/kubernetes/refusals.ts';
import type { Furthest } from './furthest.ts';
import type { ApiList } from '../../adapters/kubernetes/watch.ts';

export interface VersionCheckDependencies {
  client: KubernetesClient;
  refusals: Refusals;
  /** The feature level allows to record a new epoch. */
  mayBegin: () => boolean;
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
  name: string;
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
  refusals,
  mayBegin,
  begin,
  furthest,
  requireSame,
  signal,
}: VersionCheckDependencies): (reached: ReachedVersion) => Promise<void> {
  const { cluster } = client;
  return async ({ name, resource, path, resourceVersion }) => {
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
    const part = `versions of ${name}`;
    if (to === null) return refusals.note(cluster, part, null);
    const words = `the API server was restored from an older copy: its resourceVersion is ${to}, and ${from} was seen before`;
    if (!mayBegin()) {
      const advice = `recording it needs feature level ${ANSWERS_FROM_LEVEL}: run "jobledger upgrade --finalize"`;
      refusals.note(cluster, part, `${words}; nothing about it is recorded until then, as ${advice}`);
      throw new UnavailableError(`${words}; ${advice}`);
    }
    refusals.note(cluster, part, null);
    await begin({ from, to });
    throw new UnavailableError(words);
  };
}
