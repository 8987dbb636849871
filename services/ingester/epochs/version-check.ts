import { compareVersions } from '../../../workflows/ledger/resource-version.ts';
import { UnavailableError } from '../../adapters/errors.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { ObjectVersion } from '../live-set/live-set.ts';
import type { ReadFurthest } from './furthest.ts';
import type { ApiList, ApiObject } from '../../adapters/kubernetes/watch.ts';

const RESTORED = 'the API server was restored from an older copy';

export interface VersionCheckDependencies {
  client: KubernetesClient;
  /** Records that the API server was restored: a watch had reached version `from`, and a list was at version `to`. */
  begin: (restored: { from: string; to: string }) => Promise<void>;
  /** The versions that all shards have reached; absent when the cluster has one shard. */
  furthest?: ReadFurthest | undefined;
  /** @throws when another cluster is at this address, whose versions mean nothing here. */
  requireSame: () => Promise<void>;
  signal: AbortSignal;
}

/** An object, and its version in the ledger. With `isDeleted`, the version is the version of the deletion. */
export type KnownVersion = ObjectVersion & { isDeleted?: true };

/** A watch of a collection, and the version that it has reached. */
export interface ReachedVersion {
  resource: string;
  path: string;
  resourceVersion: string;
  /** Objects whose versions must not have gone back, and that must stay deleted, with the paths of their collections; the latest version first. */
  objects: readonly (KnownVersion & { path: string })[];
}

/**
 * `recorded` if an API server has the recorded history; `unknown` if only a list can show whether the API server has
 * this history.
 */
export type History = 'recorded' | 'unknown';

/**
 * Finds an API server that was restored from an older copy: its versions are below the versions that a watch had
 * reached, an object has an older version than its recorded version, or a deleted object exists. A watch of such a
 * server would receive no event and no error. The versions of the server alone do not show the restore when the copy is
 * young, when much was written after the restore, or when the restore raised the versions (`etcdutl snapshot restore
 * --bump-revision`). A list without resourceVersion is read from etcd itself, so it is never older than earlier
 * observations; a second list confirms each finding. An object that has exactly the recorded version shows that no
 * earlier change was lost. A missing object may have been deleted in the meantime, or may have been created after the
 * copy. @throws UnavailableError if versions have gone back: the watch must not be opened.
 */
export function createVersionCheck({
  client,
  begin,
  furthest,
  requireSame,
  signal,
}: VersionCheckDependencies): (reached: ReachedVersion) => Promise<History> {
  const getList = <T>(path: string): Promise<ApiList<T>> => client.request({ method: 'GET', path, signal });
  const readVersion = async ({
    path,
    name,
    uid,
  }: ObjectVersion & { path: string }): Promise<string | null> => {
    const selector = encodeURIComponent(`metadata.name=${name}`);
    const { items } = await getList<ApiObject>(`${path}?fieldSelector=${selector}`);
    return items.find(({ metadata }) => metadata.uid === uid)?.metadata.resourceVersion ?? null;
  };
  return async ({ resource, path, resourceVersion, objects }) => {
    await requireSame();
    const others = (await furthest?.(resource)) ?? resourceVersion;
    const from = compareVersions(others, resourceVersion) > 0 ? others : resourceVersion;
    const to = await askTwice(async () => {
      const { metadata } = await getList<unknown>(`${path}?limit=1`);
      return compareVersions(metadata.resourceVersion, from) < 0 ? metadata.resourceVersion : null;
    });
    if (to !== null) {
      await begin({ from, to });
      throw new UnavailableError(`${RESTORED}: its resourceVersion is ${to}, but ${from} was seen before`);
    }
    for (const object of objects) {
      const { namespace, name, resourceVersion: recorded, isDeleted = false } = object;
      let found: string | null = null;
      const older = await askTwice(async () => {
        found = await readVersion(object);
        return found !== null && (isDeleted || compareVersions(found, recorded) < 0) ? found : null;
      });
      if (older !== null) {
        await begin({ from: recorded, to: older });
        const before = isDeleted ? `its deletion at ${recorded}` : recorded;
        throw new UnavailableError(
          `${RESTORED}: the resourceVersion of ${namespace}/${name} is ${older}, but ${before} was seen before`,
        );
      }
      if (isDeleted) continue;
      if (found === recorded) return 'recorded';
      // The watch will report a version beyond the reached version.
      if (found === null || compareVersions(found, resourceVersion) <= 0) return 'unknown';
    }
    return objects.every(({ isDeleted }) => isDeleted) ? 'recorded' : 'unknown';
  };
}

/** Asks twice; returns the second answer if neither answer is null. */
async function askTwice(ask: () => Promise<string | null>): Promise<string | null> {
  return (await ask()) === null ? null : ask();
}
