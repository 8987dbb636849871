import { isAbsent, UnavailableError } from '../../../adapters/errors.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import { list, eventVersion, watch, type ApiObject } from '../../../adapters/kubernetes/watch.ts';
import { retry, type Backoff } from '../../../adapters/waiting/retry.ts';
import { isForbidden } from '../../command/requests.ts';

/** The kept parts of the objects of a collection by uid, in a Map or in an object with the same methods. */
export interface Kept<R> {
  set(uid: string, object: R): unknown;
  delete(uid: string): boolean;
  clear(): void;
}

/** The objects of a collection, which a watch keeps up to date. */
export interface WatchedCollection<K> {
  /**
   * Reads the objects; null when the objects may not be listed. @throws UnavailableError when the cluster does not
   * answer.
   */
  read(): Promise<Contents<K> | null>;
}

/** The objects of a collection. `version` differs after each change. */
export interface Contents<K> {
  version: number;
  objects: K;
}

const WATCH_SECONDS = 300;
/**
 * The time without an event after which a connection counts as dead, in milliseconds. The API server sends a bookmark
 * every minute.
 */
const IDLE_MS = 90_000;
/**
 * The time for which a reader waits for the first list, in milliseconds, because the choice does not wait for a
 * cluster.
 */
const LISTED_WITHIN_MS = 500;
const BACKOFF: Backoff = { firstMs: 200, longestMs: 2000 };
/** The waits after a refusal, because an operator may grant the rights or install the kind later. */
const BACKOFF_WHEN_REFUSED: Backoff = { firstMs: 60_000, longestMs: 60_000 };

/**
 * Keeps the objects of a collection up to date. `path` is the path of the collection. `part` returns the part of an
 * object that is kept in `objects`, or null for an object that is left out.
 */
export function watchCollection<R, K extends Kept<R>>(
  client: KubernetesClient,
  { path, part, objects }: { path: string; part: (object: ApiObject) => R | null; objects: K },
  signal: AbortSignal,
): WatchedCollection<K> {
  let version = 0;
  /** The reason why the contents are not known; null when the contents are known. */
  let failure: unknown = new UnavailableError(`${path} of the cluster ${client.cluster} is being listed`);
  const tried = Promise.withResolvers<void>();

  const keepPart = (object: ApiObject): void => {
    const kept = part(object);
    if (kept === null) objects.delete(object.metadata.uid);
    else objects.set(object.metadata.uid, kept);
    version += 1;
  };
  const listAndWatch = async (reset: () => void): Promise<never> => {
    const { metadata, items } = await list<ApiObject>(client, path, 'resourceVersion=0', signal);
    objects.clear();
    version += 1;
    for (const item of items) keepPart(item);
    let position = metadata.resourceVersion;
    failure = null;
    tried.resolve();
    reset();
    for (;;) {
      const from = { resourceVersion: position, timeoutSeconds: WATCH_SECONDS, idleMs: IDLE_MS, signal };
      for await (const event of watch<ApiObject>(client, path, from)) {
        position = eventVersion(event);
        if (!('object' in event)) continue;
        if (event.type !== 'DELETED') keepPart(event.object);
        else if (objects.delete(event.object.metadata.uid)) version += 1;
      }
      signal.throwIfAborted();
    }
  };
  const backoff = (error: unknown): Backoff =>
    isForbidden(error) || isAbsent(error) ? BACKOFF_WHEN_REFUSED : BACKOFF;
  // The next attempt lists again, because an API server may have been restored or may have dropped the version.
  const onFailedAttempt = (error: unknown): void => {
    failure = error;
    tried.resolve();
  };
  retry(listAndWatch, { signal, backoff, shouldRetry: () => true, onFailedAttempt }).catch(() => undefined);
  return {
    async read() {
      const late = setTimeout(tried.resolve, LISTED_WITHIN_MS);
      await tried.promise;
      clearTimeout(late);
      if (failure === null) return { version, objects };
      if (isForbidden(failure)) return null;
      throw failure;
    },
  };
}
