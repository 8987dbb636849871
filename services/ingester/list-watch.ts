import { messageOf } from '../adapters/errors.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';
import {
  ExpiredError,
  list,
  watch,
  type ApiList,
  type ApiObject,
  type WatchEvent,
} from '../adapters/kubernetes/watch.ts';
import type { Log } from '../adapters/log.ts';

/** What a reader of one collection is told, in the order in which it happened. */
export interface Reader<T> {
  /** All items at one resourceVersion. `gapFrom`: what happened since then may be missing. */
  listed(list: ApiList<T>, gapFrom: { resourceVersion: string; reason: string } | null): Promise<void>;
  happened(event: WatchEvent<T>): Promise<void>;
  /** A list taken while the watch ran, told once the watch has come as far: what differs was missed. */
  audited(list: ApiList<T>): Promise<void>;
}

export interface ListWatchOptions {
  client: KubernetesClient;
  log: Log;
  path: string;
  /** Where the last run had come to; absent: list first. */
  from?: string | undefined;
  /** Lists first, `from` or not: why. */
  relist?: string;
  /** Milliseconds between two lists that look for what the watch missed. */
  auditMs: number;
  signal: AbortSignal;
}

const WATCH_SECONDS = 300;
/** Bookmarks come every minute: longer silence is a dead connection. */
const IDLE_MS = 90_000;
const RETRY_MS = { first: 200, longest: 2000 };

/**
 * Follows a collection for ever: watch from where it was left, list only when the API server no longer has the history
 * (410), list now and then to find what the watch missed. Ends when `signal` is aborted.
 */
export async function listWatch<T extends ApiObject>(
  options: ListWatchOptions,
  reader: Reader<T>,
): Promise<void> {
  const { log, path, signal, from, relist } = options;
  let position = relist === undefined ? from : undefined;
  let gap = relist === undefined || from === undefined ? null : { resourceVersion: from, reason: relist };
  let retryMs = RETRY_MS.first;
  const audit = auditor<T>(options, reader);
  while (!signal.aborted) {
    try {
      if (position === undefined) {
        const all = await list<T>(options.client, path, '', signal);
        await reader.listed(all, gap);
        [position, gap] = [all.metadata.resourceVersion, null];
        audit.restart();
      }
      for await (const event of open<T>(options, position)) {
        position = event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion;
        await reader.happened(event);
        await audit.reached(position);
        retryMs = RETRY_MS.first;
      }
      await audit.begin();
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ExpiredError && position !== undefined) {
        gap = { resourceVersion: position, reason: error.message };
        position = undefined;
      }
      log.warn({ path, error: messageOf(error) }, 'the watch ended; going on');
      await new Promise((resolve) => setTimeout(resolve, retryMs));
      retryMs = Math.min(retryMs * 2, RETRY_MS.longest);
    }
  }
}

function open<T extends ApiObject>(
  { client, path, signal, auditMs }: ListWatchOptions,
  resourceVersion: string,
): AsyncGenerator<WatchEvent<T>> {
  const timeoutSeconds = Math.max(1, Math.min(WATCH_SECONDS, Math.floor(auditMs / 1000)));
  return watch<T>(client, path, { resourceVersion, timeoutSeconds, idleMs: IDLE_MS, signal });
}

interface Auditor {
  restart(): void;
  /** Lists, when it is time. */
  begin(): Promise<void>;
  /** The watch has come to here. */
  reached(position: string): Promise<void>;
}

/** Keeps a list until the watch has come as far as it; only then can the two be compared. */
function auditor<T>({ client, path, signal, auditMs }: ListWatchOptions, reader: Reader<T>): Auditor {
  let due = Date.now() + auditMs;
  let waiting: ApiList<T> | null = null;
  const restart = (): void => {
    due = Date.now() + auditMs;
    waiting = null;
  };
  return {
    restart,
    async begin() {
      if (Date.now() < due) return;
      waiting = await list<T>(client, path, '', signal);
      due = Date.now() + auditMs;
    },
    async reached(position) {
      if (waiting === null || BigInt(position) < BigInt(waiting.metadata.resourceVersion)) return;
      const all = waiting;
      waiting = null;
      await reader.audited(all);
    },
  };
}
