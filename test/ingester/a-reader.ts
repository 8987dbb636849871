import type { Job, Pod } from '../../workflows/kubernetes/objects.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import type { Appender } from '../../services/adapters/kafka/append.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { createAppendQueue } from '../../services/ingester/append/append-queue.ts';
import { listWatch, type ListWatchOptions } from '../../services/ingester/watch/list-watch.ts';
import { emptyLiveSet, type LiveSet } from '../../services/ingester/live-set/live-set.ts';
import {
  readerOfJobs,
  readerOfPods,
  type CollectionReader,
} from '../../services/ingester/watch/collection-reader.ts';
import { CLUSTER } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';
import type { Part } from '../../services/shards/watch-names.ts';
import { aCollection, type Collection } from './a-collection.ts';
import { REDACTION } from '../support/redaction.ts';

/** The ingester's path from one played collection to a ledger in memory, with the real code. */
export interface Following<T extends Job | Pod> {
  collection: Collection<T>;
  live: LiveSet;
  events: JobEvent[];
  /** Writes to the compacted topic, one batch each, as `key value`. */
  writes: string[][];
  /** Resolves when everything read so far is appended. */
  drained: () => Promise<void>;
  /** The errors that were logged. */
  errors: string[];
  /** The warnings that were logged. */
  warnings: string[];
  /** The resources of versions that were not recorded. */
  notRecorded: string[];
  start(options?: Partial<ListWatchOptions>): void;
  /** Resolves once this many events were appended. */
  appended(count: number): Promise<void>;
  stop(): Promise<void>;
}

type OnAppended = (events: readonly JobEvent[]) => void;

/** `part`: of the cluster, the only one that is read. */
export const followJobs = (part?: Part): Following<Job> => following('jobs', readerOfJobs, undefined, part);
/** `onAppended` receives the events instead of the list `events`. */
export const followPods = (onAppended?: OnAppended): Following<Pod> =>
  following('pods', readerOfPods, onAppended);

function following<T extends Job | Pod>(
  resource: string,
  createReader: (dependencies: Parameters<typeof readerOfPods>[0]) => CollectionReader<T>,
  onAppended?: OnAppended,
  part?: Part,
): Following<T> {
  const collection = aCollection<T>(CLUSTER);
  const [events, writes, errors]: [JobEvent[], string[][], string[]] = [[], [], []];
  const [notRecorded, warnings]: [string[], string[]] = [[], []];
  const keep = onAppended ?? ((appended) => void events.push(...appended));
  const appender: Appender = {
    append: async (appended) => keep(appended as JobEvent[]),
    write: async (_topic, messages) =>
      void writes.push(messages.map(({ key, value }) => `${String(key)} ${String(value)}`)),
    close: async () => undefined,
  };
  const log = silentLog();
  log.error = ((_context: unknown, message: string) => void errors.push(message)) as typeof log.error;
  log.warn = ((_context: unknown, message: string) => void warnings.push(message)) as typeof log.warn;
  const stopped = new AbortController();
  const { signal } = stopped;
  const topics = { ledger: 'ledger', live: 'live', deadLetters: 'dead', features: 'features' };
  const live = emptyLiveSet();
  const queue = createAppendQueue({ cluster: CLUSTER, appender, topics, log, isHeld: () => true, signal });
  const scope = {
    cluster: CLUSTER,
    claim: 'managed' as const,
    redaction: REDACTION,
  };
  const onNotRecorded = (of: string): void => void notRecorded.push(of);
  const reader = createReader({ scope, live, queue, count: () => undefined, log, onNotRecorded, part });
  let running: Promise<void> = Promise.resolve();
  return {
    collection,
    live,
    events,
    writes,
    drained: () => queue.drained(),
    errors,
    warnings,
    notRecorded,
    start(options = {}) {
      const fixed = {
        client: collection.client,
        log,
        path: `/played/${resource}`,
        onNotRecorded: () => onNotRecorded(resource),
        signal,
      };
      running = listWatch<T>({ ...fixed, auditMs: 300_000, ...options }, reader);
    },
    async appended(count) {
      await eventually(`${count} events`, 10, async () => (events.length >= count ? true : undefined));
    },
    async stop() {
      stopped.abort();
      await running;
    },
  };
}
