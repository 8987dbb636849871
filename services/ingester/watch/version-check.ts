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
  /** An object whose version must not have gone back; absent: none is known. */
  object?: ObjectVersion | undefined;
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
  const versionNow = async (
    path: string,
    { namespace, name, uid }: ObjectVersion,
  ): Promise<string | null> => {
    const [, group, resource] = /^(.*?)(?:\/namespaces\/[^/]+)?\/([^/]+)$/.exec(path) ?? [];
    const query = `fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
    const { items } = await client.request<ApiList<ApiObject>>({
      method: 'GET',
      path: `${group}/namespaces/${namespace}/${resource}?${query}`,
      signal,
    });
    const found = items.find(({ metadata }) => metadata.uid === uid);
    return found?.metadata.resourceVersion ?? null;
  };
  const goneBack = async (path: string, object: ObjectVersion): Promise<string | null> => {
    const version = await versionNow(path, object);
    return version !== null && compareVersions(version, object.resourceVersion) < 0 ? version : null;
  };
  return async ({ resource, path, resourceVersion, object }) => {
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
    if (to !== null) {
      await begin({ from, to });
      throw new UnavailableError(`${RESTORED}: its resourceVersion is ${to}, and ${from} was seen before`);
    }
    if (object === undefined || (await goneBack(path, object)) === null) return;
    const older = await goneBack(path, object);
    if (older === null) return;
    await begin({ from: object.resourceVersion, to: older });
    throw new UnavailableError(
      `${RESTORED}: the resourceVersion of ${object.namespace}/${object.name} is ${older}, and ${object.resourceVersion} was seen before`,
    );
  };
}
