import { compareVersions } from '../../../workflows/job/definitions/resource-version.ts';
import { UnavailableError } from '../../adapters/errors.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { Furthest } from './furthest.ts';
import type { ApiList, ApiObject } from '../../adapters/kubernetes/watch.ts';

const RESTORED = 'the API server was restored from an older copy';

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

/** An object, and the version of it that is in the ledger. */
export interface ObjectVersion {
  namespace: string;
  name: string;
  uid: string;
  resourceVersion: string;
}

/** A watch of a collection, and the version that it has reached. */
export interface ReachedVersion {
  resource: string;
  path: string;
  resourceVersion: string;
  /** An object whose version must not have gone back, with the path of its collection; absent: none is known. */
  object?: (ObjectVersion & { path: string }) | undefined;
}

/**
 * Finds an API server that was restored from an older copy: its versions are below those that a watch had reached, or an object has an older
 * version than was recorded. Such a watch would receive nothing, and no error. The versions of the server alone do not show it when the copy
 * is young, or when the restore raised them (`etcdutl snapshot restore --bump-revision`). A list without resourceVersion is read from etcd
 * itself, so it is never older than earlier observations; a second list confirms either. @throws UnavailableError if versions have gone back: the
 * watch must not be opened.
 */
export function createVersionCheck({
  client,
  begin,
  furthest,
  requireSame,
  signal,
}: VersionCheckDependencies): (reached: ReachedVersion) => Promise<void> {
  const get = <T>(path: string): Promise<ApiList<T>> => client.request({ method: 'GET', path, signal });
  return async ({ resource, path, resourceVersion, object }) => {
    await requireSame();
    const others = (await furthest?.(resource)) ?? resourceVersion;
    const from = compareVersions(others, resourceVersion) > 0 ? others : resourceVersion;
    const to = await confirmed(async () => {
      const { metadata } = await get<unknown>(`${path}?limit=1`);
      return compareVersions(metadata.resourceVersion, from) < 0 ? metadata.resourceVersion : null;
    });
    if (to !== null) {
      await begin({ from, to });
      throw new UnavailableError(`${RESTORED}: its resourceVersion is ${to}, and ${from} was seen before`);
    }
    if (object === undefined) return;
    const { namespace, name, uid, resourceVersion: recorded } = object;
    const older = await confirmed(async () => {
      const { items } = await get<ApiObject>(
        `${object.path}?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`,
      );
      const found = items.find(({ metadata }) => metadata.uid === uid)?.metadata.resourceVersion;
      return found !== undefined && compareVersions(found, recorded) < 0 ? found : null;
    });
    if (older === null) return;
    await begin({ from: recorded, to: older });
    throw new UnavailableError(
      `${RESTORED}: the resourceVersion of ${namespace}/${name} is ${older}, and ${recorded} was seen before`,
    );
  };
}

/** The second of two answers, if neither is null. */
async function confirmed(ask: () => Promise<string | null>): Promise<string | null> {
  return (await ask()) === null ? null : ask();
}
