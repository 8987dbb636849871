import { compareVersions } from '../../../workflows/ledger/resource-version.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import {
  eventVersion,
  type ApiList,
  type ApiObject,
  type WatchEvent,
} from '../../adapters/kubernetes/watch.ts';
import { pause } from '../../adapters/waiting/pause.ts';

/**
 * The events of a watch without bookmarks and, when the API server ends the watch, a bookmark. Its version is that of the
 * collection after `afterMs` milliseconds: the watch has reported the events up to it, because it has gone on since. Without
 * the bookmark, the position of a quiet watch would expire. A watch that breaks off has no bookmark.
 */
export async function* withAskedVersion<T extends ApiObject>(
  events: AsyncIterable<WatchEvent<T>>,
  {
    client,
    path,
    signal,
    afterMs,
  }: { client: KubernetesClient; path: string; signal: AbortSignal; afterMs: number },
): AsyncGenerator<WatchEvent<T>> {
  const ended = new AbortController();
  const whileOpen = AbortSignal.any([signal, ended.signal]);
  let asked: string | null = null;
  const ask = async (): Promise<void> => {
    await pause(afterMs, whileOpen);
    if (whileOpen.aborted) return;
    const list = await client.request<ApiList<T>>({
      method: 'GET',
      path: `${path}?limit=1`,
      signal: whileOpen,
    });
    asked = list.metadata.resourceVersion;
  };
  // Without an answer, the watch only has no bookmark.
  void ask().catch(() => undefined);
  let last = '';
  try {
    for await (const event of events) {
      last = eventVersion(event);
      yield event;
    }
  } finally {
    ended.abort();
  }
  if (asked !== null && !signal.aborted && compareVersions(asked, last) > 0)
    yield { type: 'BOOKMARK', resourceVersion: asked };
}
