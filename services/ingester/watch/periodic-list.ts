import { compareVersions } from '../../../workflows/ledger/resource-version.ts';
import { errorMessage } from '../../adapters/errors.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { keptPages, listPages, type ApiObject, type Keeps } from '../../adapters/kubernetes/watch.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { InTurn } from '../../adapters/waiting/turns.ts';
import type { History } from '../epochs/version-check.ts';
import type { ObjectVersion } from '../live-set/live-set.ts';
import type { CollectionReader } from './collection-reader.ts';
import type { Differences } from './differences.ts';

/** The options of every list of a collection. */
export interface PeriodicListOptions {
  client: KubernetesClient;
  log: Log;
  path: string;
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
  /** Runs each comparison of a list when its turn comes. By default, comparisons do not wait. */
  inTurn?: InTurn;
  /**
   * Called with the reached version before a watch continues at this version and before a list replaces the watch, and
   * with an object that a list shows in an older version than the known version. If the result is `unknown`, a list is
   * compared before the watch opens. If the call throws, the attempt fails.
   */
  checkVersion?: (resourceVersion: string, older?: ObjectVersion) => Promise<History>;
}

/** Half of the shortest interval between two lists on demand while the watch reports nothing, in milliseconds. */
const DEMAND_AGAIN_MS = 1000;
/**
 * The shortest time before the first periodic list, in milliseconds, so that a watch that continues at the position of
 * another run opens before this list.
 */
const FIRST_LIST_MS = 30_000;
/** The duration of a list beyond which the next list is delayed, in milliseconds. */
const LONG_MS = 30_000;
/** The delay after a long list, as a multiple of its duration. */
const TIMES = 10;

/**
 * The time at which the next periodic list is due, in milliseconds. A collection that takes minutes to list would
 * otherwise be listed all the time, and its watch would expire each time.
 */
export function nextListAt(last: { begun: number; ended: number }, auditMs: number): number {
  const took = last.ended - last.begun;
  return took > LONG_MS ? last.ended + Math.max(auditMs, TIMES * took) : last.begun + auditMs;
}

/** Runs the comparison of a list without a wait. */
export const compareAtOnce: InTurn = (compare) => compare();

/** The periodic list of one collection. */
interface PeriodicList {
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
export function createPeriodicList<T extends ApiObject>(
  {
    client,
    log,
    path,
    signal,
    keeps,
    auditMs,
    comparedAt,
    checkVersion,
    inTurn = compareAtOnce,
  }: PeriodicListOptions,
  reader: CollectionReader<T>,
): PeriodicList {
  const now = Date.now();
  const compared = comparedAt === undefined ? now : Date.parse(comparedAt);
  let due = Math.min(now + auditMs, Math.max(compared + auditMs, now + FIRST_LIST_MS));
  let waiting: Differences<T> | null = null;
  /** The number of lists on demand since the watch last reported an event, and the time of the last list. */
  let demanded = { times: 0, at: 0 };
  const restart: PeriodicList['restart'] = (last) => {
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
        const pages = keptPages(listPages<T>(client, path, '', signal), keeps);
        const all = await inTurn(() => reader.compare(pages));
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
