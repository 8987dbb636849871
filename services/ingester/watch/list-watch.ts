import { errorMessage, UnavailableError } from '../../adapters/errors.ts';
import { adviceFor, isRefusal } from '../../adapters/kubernetes/refusals.ts';
import {
  eventVersion,
  ExpiredError,
  keptPages,
  listPages,
  watch,
  type ApiObject,
  type WatchEvent,
} from '../../adapters/kubernetes/watch.ts';
import type { TooLongLine } from '../../adapters/kubernetes/watch-lines.ts';
import { logFailures, retry, type Backoff } from '../../adapters/waiting/retry.ts';

import { NOT_RECORDED, UntranslatableError } from '../translate/errors.ts';
import { withAskedVersion } from './asked-version.ts';
import type { CollectionReader } from './collection-reader.ts';
import { compareAtOnce, createPeriodicList, type PeriodicListOptions } from './periodic-list.ts';

export interface ListWatchOptions extends PeriodicListOptions {
  /** Selects objects of the collection in lists and watches, as a part of the query. */
  query?: string;
  /**
   * True when the API server has no watch cache for the resource and so sends no bookmarks: the version is then asked for
   * during the watch, and a watch without an event may be alive.
   */
  isWithoutBookmarks?: boolean;
  /** The resourceVersion that the last run had reached; without a version, the watch lists first. */
  from?: string | undefined;
  /** The reason to list first even with `from`. */
  relist?: string;
  /** Called with the reason when the API server refuses, and with null when it responds. */
  onRefusal?: (reason: string | null) => void;
  /**
   * Called before a list, if this watch has not yet caught up with the collection. If the call throws, the attempt
   * fails.
   */
  beforeFirstList?: () => Promise<unknown>;
  /** Called after each list that the watch begins with, when its differences are handled. */
  onListed?: () => void;
  /** Called once, when this watch has caught up with the collection: after its first list, or at its first bookmark. */
  onCaughtUp?: () => void;
  /** Called once, when a watch may continue at `from`. */
  onContinued?: () => void;
  /** Called at each list, at the opening of a watch, and at each event and bookmark. */
  onReceived?: () => void;
  /** Called for an event that is too long to read. */
  onNotRecorded?: () => void;
}

const WATCH_SECONDS = 300;
/** Bookmarks come every minute, so a longer silence means a dead connection. */
const IDLE_MS = 90_000;
/** The time after which a watch is dead that the API server should have ended, in milliseconds. */
const END_MS = 30_000;
/**
 * A watch that ends within this time, in milliseconds, without an event or a bookmark has failed: a proxy may end each
 * watch at once.
 */
const SHORTEST_MS = 1000;
const WENT_ON =
  'the API server has dropped the version of the list, so the list continues at the present version; a later list finds the earlier changes';
const TOO_LONG = 'the event is larger than 16 MiB';
const BACKOFF: Backoff = { firstMs: 200, longestMs: 2000 };
/**
 * The waits after an untranslatable object are longer, because such an object rarely changes and each attempt reads
 * many objects again.
 */
const BACKOFF_OF_OURS: Backoff = { firstMs: 200, longestMs: 60_000 };

/**
 * Follows a collection: watches from the last position, lists the collection if the API server has dropped the history
 * (410), and lists it periodically to find missed changes. Ends when `signal` is aborted.
 */
export async function listWatch<T extends ApiObject>(
  options: ListWatchOptions,
  reader: CollectionReader<T>,
): Promise<void> {
  const { log, path, signal, from, relist, inTurn = compareAtOnce } = options;
  const { cluster } = options.client;
  let position = relist === undefined ? from : undefined;
  let gap = relist === undefined || from === undefined ? null : { resourceVersion: from, reason: relist };
  let hasCaughtUp = false;
  const catchUp = (): void => {
    if (hasCaughtUp) return;
    hasCaughtUp = true;
    options.onCaughtUp?.();
  };
  const periodicList = createPeriodicList<T>(options, reader);
  const onExpired = (): void => log.warn({ cluster, path }, WENT_ON);
  const listAndWatch = async (reset: () => void): Promise<void> => {
    const reached = position ?? gap?.resourceVersion;
    if (reached !== undefined && (await options.checkVersion?.(reached)) === 'unknown') periodicList.demand();
    options.onContinued?.();
    if (position === undefined) {
      if (!hasCaughtUp) await options.beforeFirstList?.();
      const begun = Date.now();
      const pages = listPages<T>(options.client, path, options.query, signal, onExpired);
      const all = await inTurn(() => reader.compare(keptPages(pages, options.keeps)));
      if (all.older !== null) await options.checkVersion?.(reached ?? all.older.resourceVersion, all.older);
      const ended = Date.now();
      options.onRefusal?.(null);
      options.onReceived?.();
      await reader.listed(all, gap);
      options.onListed?.();
      [position, gap] = [all.resourceVersion, null];
      catchUp();
      periodicList.restart({ begun, ended });
    }
    await periodicList.begin(position);
    const opened = performance.now();
    let isSilent = true;
    for await (const event of openWatch<T>(options, position, periodicList.dueIn())) {
      isSilent = false;
      options.onReceived?.();
      const at = eventVersion(event);
      await periodicList.before(at);
      await reader.happened(event);
      // The position moves only after the event was handled; otherwise the event is read again.
      position = at;
      // A bookmark comes after all replayed events.
      if (event.type === 'BOOKMARK') catchUp();
      await periodicList.reached(at);
      reset();
    }
    if (isSilent && performance.now() - opened < SHORTEST_MS && !signal.aborted)
      throw new UnavailableError('the watch ended at once, without an event');
  };
  const logEnd = logFailures(log, 'the watch ended; restarting it', { cluster, path });
  const onFailedAttempt = (error: unknown, failures: number): void => {
    if (error instanceof ExpiredError && position !== undefined) {
      gap = { resourceVersion: position, reason: error.message };
      position = undefined;
    }
    // A refused request shows no loss of events, and no caller may wait for it.
    if (isRefusal(error)) options.onContinued?.();
    if (isRefusal(error) && options.onRefusal !== undefined)
      options.onRefusal(`${errorMessage(error)}; ${adviceFor(error)}`);
    else logEnd(error, failures);
  };
  const backoff = (error: unknown): Backoff =>
    error instanceof UntranslatableError ? BACKOFF_OF_OURS : BACKOFF;
  while (!signal.aborted)
    await retry(listAndWatch, { signal, backoff, shouldRetry: () => true, onFailedAttempt }).catch(
      (error: unknown) => {
        if (!signal.aborted) throw error;
      },
    );
}

/** Opens a watch from a version, until the next list is due. */
function openWatch<T extends ApiObject>(
  options: ListWatchOptions,
  resourceVersion: string,
  listInMs: number,
): AsyncGenerator<WatchEvent<T>> {
  const { client, log, path, query, signal, keeps, onRefusal, onReceived, onNotRecorded } = options;
  const onOpen = (): void => {
    onRefusal?.(null);
    onReceived?.();
  };
  // The position moves with the next event. The ledger keeps the last recorded version of the object until a list shows
  // a smaller version or does not contain the object.
  const onTooLong = (object: TooLongLine): void => {
    log.error({ cluster: client.cluster, path, ...object, error: TOO_LONG }, NOT_RECORDED);
    onNotRecorded?.();
  };
  const timeoutSeconds = Math.max(1, Math.min(WATCH_SECONDS, Math.ceil(listInMs / 1000)));
  const isSilent = options.isWithoutBookmarks === true;
  const idleMs = isSilent ? timeoutSeconds * 1000 + END_MS : IDLE_MS;
  const from = { resourceVersion, query, timeoutSeconds, idleMs, keeps, signal };
  const opened = watch<T>(client, path, { ...from, onOpen, onTooLong });
  return isSilent
    ? withAskedVersion(opened, { client, path, signal, afterMs: timeoutSeconds * 500 })
    : opened;
}
