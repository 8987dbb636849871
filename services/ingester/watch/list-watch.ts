import { compareVersions } from '../../../workflows/ledger/resource-version.ts';
import { errorMessage, UnavailableError } from '../../adapters/errors.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { adviceFor, isRefusal } from '../../adapters/kubernetes/refusals.ts';
import {
  ExpiredError,
  keptPages,
  listPages,
  eventVersion,
  watch,
  type ApiList,
  type ApiObject,
  type Keeps,
  type WatchEvent,
} from '../../adapters/kubernetes/watch.ts';
import type { TooLongLine } from '../../adapters/kubernetes/watch-lines.ts';
import type { Log } from '../../adapters/process/log.ts';
import { logFailures, retry, type Backoff } from '../../adapters/waiting/retry.ts';
import type { Differences } from './differences.ts';
import { nextListAt } from './next-list.ts';
import type { ObjectVersion } from '../live-set/live-set.ts';
import type { History } from './version-check.ts';
import { NOT_RECORDED, UntranslatableError } from '../translate/untranslatable.ts';

/** The callbacks for one collection, which are called in order. */
export interface CollectionReader<T> {
  /** Compares a list with the known objects, page by page. */
  compare(pages: AsyncIterable<ApiList<T>>): Promise<Differences<T>>;
  /** Handles a list before the watch starts. The events after `gapFrom` may be missing. */
  listed(list: Differences<T>, gapFrom: { resourceVersion: string; reason: string } | null): Promise<void>;
  happened(event: WatchEvent<T>): Promise<void>;
  /**
   * Handles a list that was taken while the watch ran, when the watch has reached the version of the list. The watch
   * has missed every difference.
   */
  audited(list: Differences<T>): Promise<void>;
}

export interface ListWatchOptions {
  client: KubernetesClient;
  log: Log;
  path: string;
  /** The resourceVersion that the last run had reached; without a version, the watch lists first. */
  from?: string | undefined;
  /** The reason to list first even with `from`. */
  relist?: string;
  /** Selects the namespaces whose objects are kept. By default, the objects of all namespaces are kept. */
  keeps?: Keeps;
  /** The milliseconds between two periodic lists, which find missed changes. */
  auditMs: number;
  /**
   * The RFC 3339 time when an earlier run last compared a list, so that the interval between two lists continues. The
   * time is absent when no list is known.
   */
  comparedAt?: string | undefined;
  signal: AbortSignal;
  /** Called with the reason when the API server refuses, and with null when it responds. */
  onRefusal?: (reason: string | null) => void;
  /**
   * Called before a list, if this watch has not yet caught up with the collection. If the call throws, the attempt
   * fails.
   */
  beforeFirstList?: () => Promise<unknown>;
  /** Called once, when this watch has caught up with the collection: after its first list, or at its first bookmark. */
  onCaughtUp?: () => void;
  /**
   * Called with the reached version before a watch continues at this version and before a list replaces the watch, and
   * with an object that a list shows in an older version than the known version. If the result is `unknown`, a list is
   * compared before the watch opens. If the call throws, the attempt fails.
   */
  checkVersion?: (resourceVersion: string, older?: ObjectVersion) => Promise<History>;
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
/**
 * A watch that ends within this time, in milliseconds, without an event or a bookmark has failed: a proxy may end each
 * watch at once.
 */
const SHORTEST_MS = 1000;
const WENT_ON =
  'the API server has dropped the version of the list, so the list continues at the present version; a later list finds the earlier changes';
const TOO_LONG = 'the event is larger than 16 MiB';
/** Half of the shortest interval between two lists on demand while the watch reports nothing, in milliseconds. */
const DEMAND_AGAIN_MS = 1000;
/**
 * The shortest time before the first periodic list, in milliseconds, so that a watch that continues at the position of
 * another run opens before this list.
 */
const FIRST_LIST_MS = 30_000;
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
  const { log, path, signal, from, relist } = options;
  const { cluster } = options.client;
  let position = relist === undefined ? from : undefined;
  let gap = relist === undefined || from === undefined ? null : { resourceVersion: from, reason: relist };
  let hasCaughtUp = false;
  const catchUp = (): void => {
    if (hasCaughtUp) return;
    hasCaughtUp = true;
    options.onCaughtUp?.();
  };
  const audit = createAuditor<T>(options, reader);
  const onExpired = (): void => log.warn({ cluster, path }, WENT_ON);
  const listAndWatch = async (reset: () => void): Promise<void> => {
    const reached = position ?? gap?.resourceVersion;
    if (reached !== undefined && (await options.checkVersion?.(reached)) === 'unknown') audit.demand();
    options.onContinued?.();
    if (position === undefined) {
      if (!hasCaughtUp) await options.beforeFirstList?.();
      const begun = Date.now();
      const pages = listPages<T>(options.client, path, '', signal, onExpired);
      const all = await reader.compare(keptPages(pages, options.keeps));
      if (all.older !== null) await options.checkVersion?.(reached ?? all.older.resourceVersion, all.older);
      const ended = Date.now();
      options.onRefusal?.(null);
      options.onReceived?.();
      await reader.listed(all, gap);
      [position, gap] = [all.resourceVersion, null];
      catchUp();
      audit.restart({ begun, ended });
    }
    await audit.begin(position);
    const opened = performance.now();
    let isSilent = true;
    for await (const event of openWatch<T>(options, position, audit.dueIn())) {
      isSilent = false;
      options.onReceived?.();
      const at = eventVersion(event);
      await audit.before(at);
      await reader.happened(event);
      // The position moves only after the event was handled; otherwise the event is read again.
      position = at;
      // A bookmark comes after all replayed events.
      if (event.type === 'BOOKMARK') catchUp();
      await audit.reached(at);
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
  { client, log, path, signal, keeps, onRefusal, onReceived, onNotRecorded }: ListWatchOptions,
  resourceVersion: string,
  listInMs: number,
): AsyncGenerator<WatchEvent<T>> {
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
  const from = { resourceVersion, timeoutSeconds, idleMs: IDLE_MS, keeps, signal };
  return watch<T>(client, path, { ...from, onOpen, onTooLong });
}

interface Auditor {
  /** Called after another list. */
  restart(last: { begun: number; ended: number }): void;
  /**
   * Makes a list due. Until the watch reports an event, each further call makes a list due only after a longer wait.
   */
  demand(): void;
  /** The milliseconds until a list is due. */
  dueIn(): number;
  /** Takes a list when one is due. `position` is the version from which the watch will continue. */
  begin(position: string): Promise<void>;
  /** Called before the event of this version is delivered. */
  before(version: string): Promise<void>;
  /** Called after the events up to this version were delivered. */
  reached(version: string): Promise<void>;
}

/**
 * Keeps the differences of a list until the watch has reached exactly the version of the list, because a list can only
 * be compared with a watch at the same version: an object that is deleted later is still in the list and must not
 * reappear. A failed list or comparison is skipped until the next list is due.
 */
function createAuditor<T extends ApiObject>(
  { client, log, path, signal, keeps, auditMs, comparedAt, checkVersion }: ListWatchOptions,
  reader: CollectionReader<T>,
): Auditor {
  const now = Date.now();
  const compared = comparedAt === undefined ? now : Date.parse(comparedAt);
  let due = Math.min(now + auditMs, Math.max(compared + auditMs, now + FIRST_LIST_MS));
  let waiting: Differences<T> | null = null;
  /** The number of lists on demand since the watch last reported an event, and the time of the last list. */
  let demanded = { times: 0, at: 0 };
  const restart: Auditor['restart'] = (last) => {
    // The differences of a list may take longer to record than the list itself took.
    due = Math.max(nextListAt(last, auditMs), Date.now() + auditMs);
    waiting = null;
  };
  const runOrSkip = async (step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      if (signal.aborted) throw error;
      log.error(
        { cluster: client.cluster, path, error: errorMessage(error) },
        'the periodic list could not be compared; the next one finds the missed changes',
      );
    }
  };
  const compareWaitingList = async (): Promise<void> => {
    const all = waiting;
    waiting = null;
    if (all !== null) await runOrSkip(() => reader.audited(all));
  };
  const compareToWaiting = (version: string): number =>
    waiting === null ? -1 : compareVersions(version, waiting.resourceVersion);
  return {
    restart,
    dueIn: () => due - Date.now(),
    demand() {
      // A watch that an overloaded API server refuses would otherwise cost a list at each attempt.
      const wait = demanded.times === 0 ? 0 : Math.min(DEMAND_AGAIN_MS * 2 ** demanded.times, auditMs);
      due = Math.min(due, demanded.at + wait);
      if (due <= Date.now()) demanded = { times: demanded.times + 1, at: Date.now() };
    },
    async begin(position) {
      if (Date.now() < due) return;
      const begun = Date.now();
      await runOrSkip(async () => {
        const all = await reader.compare(keptPages(listPages<T>(client, path, '', signal), keeps));
        if (all.older !== null) await checkVersion?.(position, all.older);
        // If the list is older than the watch, the API server was restored just now. The version is checked before the
        // next watch.
        waiting = compareVersions(all.resourceVersion, position) < 0 ? null : all;
      });
      due = nextListAt({ begun, ended: Date.now() }, auditMs);
    },
    async before(version) {
      if (compareToWaiting(version) > 0) await compareWaitingList();
    },
    async reached(version) {
      demanded = { times: 0, at: 0 };
      if (compareToWaiting(version) >= 0) await compareWaitingList();
    },
  };
}
