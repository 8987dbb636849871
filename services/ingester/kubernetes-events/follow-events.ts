import { errorMessage } from '../../adapters/errors.ts';
import { collectionPath } from '../../adapters/kubernetes/collection-path.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import type { LiveRecord } from '../../live-topic/live-topic.ts';
import { isPosition } from '../../live-topic/watches.ts';
import { namespaceIn, shardIn, watchName, type Part } from '../../shards/watch-names.ts';
import type { AppendQueue } from '../append/append-queue.ts';
import type { EventWatch, LiveSet, WatchPosition } from '../live-set/live-set.ts';
import type { Watched } from '../terms/earlier-terms.ts';
import type { Term } from '../terms/open-term.ts';
import { listWatch } from '../watch/list-watch.ts';
import type { DepartedObjects } from './departed-objects.ts';
import { createEventRecorder, type EventRecorder } from './event-recorder.ts';
import { appendRecords, readerOfEvents } from './events-reader.ts';
import { createFindStream } from './find-stream.ts';
import { followRecordedByAll, type RecordedByAll } from './other-shards.ts';
import { COMMON_REASONS } from './reasons.ts';
import { createSeenEvents, type SeenEvents } from './seen-events.ts';

/** The time between two attempts to record the waiting Events, in milliseconds. */
const RETRY_MS = 1000;
/** The time between two events about dropped Events, in milliseconds. */
const DROPPED_MS = 300_000;
const WATCHES: Readonly<Record<EventWatch, 'Pod' | 'Job'>> = { 'pod-events': 'Pod', 'job-events': 'Job' };

interface Following {
  live: LiveSet;
  departed: DepartedObjects;
  queue: AppendQueue;
  watched: readonly Watched[];
  /** Resolves when Jobs and pods are listed. */
  listed: Promise<void>;
}

/**
 * Records the Kubernetes Events of other programs about Jobs and their pods, in the parts in which the account may read
 * them, until the term ends. API servers serve each watch of Events from etcd, so each cluster has only one for each kind of
 * object: of several shards, the first follows all namespaces.
 */
export async function followEvents(term: Term, following: Following): Promise<void> {
  const { scope, shard, records, kafka, count: _, watches, log, signal } = term;
  const { cluster } = scope;
  const parts = following.watched.flatMap(({ part, optional }) =>
    optional.includes('events') && (shardIn(part)?.index ?? 1) === 1 ? [part] : [],
  );
  if (parts.length === 0) return;
  await Promise.race([following.listed, whenAborted(signal)]);
  if (signal.aborted) return;
  const all = shard.of > 1 && shardIn(parts[0]) !== null ? followRecordedByAll(kafka, cluster) : null;
  const known = [following.live, following.departed, ...(all === null ? [] : [all.live])];
  const seen = createSeenEvents(
    records.flatMap((each) =>
      each.cluster === cluster && each.kind === 'kubernetes-events' ? [[each.key, each.value] as const] : [],
    ),
  );
  const recorder = createEventRecorder(scope, {
    findStream: createFindStream(known, scope.epoch),
    seen,
    count: (result) => watches.kubernetesEvent(cluster, result),
  });
  try {
    await Promise.all([
      ...parts.flatMap((part) =>
        (Object.keys(WATCHES) as EventWatch[]).map((watch) =>
          followKind(term, following.queue, { part, watch, recorder }),
        ),
      ),
      recordLater(term, following.queue, { recorder, seen, all }),
    ]);
  } finally {
    const dropped = recorder.takeDropped();
    if (dropped !== null) log.warn(dropped.data, 'Kubernetes Events were not recorded before the term ended');
  }
}

/** Follows the Events about one kind of object in a part. */
function followKind(
  { client, scope, records, log, signal }: Term,
  queue: AppendQueue,
  { part, watch, recorder }: { part: Part; watch: EventWatch; recorder: EventRecorder },
): Promise<void> {
  const name = watchName(watch, part);
  const before = positionIn(records, scope, name);
  return listWatch(
    {
      client,
      log,
      path: collectionPath('events', namespaceIn(name)),
      query: selector(WATCHES[watch]),
      isWithoutBookmarks: true,
      from: before?.resourceVersion,
      // No list is taken while the watch runs: an Event that it missed is repeated or is past.
      auditMs: Infinity,
      signal,
    },
    readerOfEvents({ scope, recorder, queue, name, before }),
  );
}

/** The field selector as a part of a query. */
function selector(kind: 'Pod' | 'Job'): string {
  const fields = [`regarding.kind=${kind}`, ...COMMON_REASONS.map((reason) => `reason!=${reason}`)];
  return `fieldSelector=${encodeURIComponent(fields.join(','))}`;
}

/** The position of an earlier watch in the present epoch; null without one. */
function positionIn(
  records: readonly LiveRecord[],
  { cluster, epoch = 0 }: Term['scope'],
  name: string,
): WatchPosition | null {
  const found = records.find((each) => each.cluster === cluster && isPosition(each) && each.key === name);
  // The ingester wrote the topic, so the value has the shape of a position.
  const position = found?.value as WatchPosition | undefined;
  return position !== undefined && (position.epoch ?? 0) === epoch ? position : null;
}

/** Records the waiting Events when their objects are known, and the number of dropped Events. */
async function recordLater(
  { scope: { cluster }, log, signal }: Term,
  queue: AppendQueue,
  { recorder, seen, all }: { recorder: EventRecorder; seen: SeenEvents; all: RecordedByAll | null },
): Promise<void> {
  let countedAt = performance.now();
  while (!signal.aborted) {
    await pause(RETRY_MS, signal);
    if (signal.aborted) return;
    if (recorder.waitingCount > 0) {
      await all?.refresh().catch((error: unknown) => {
        log.debug({ cluster, error: errorMessage(error) }, 'the objects of other shards cannot be read');
      });
      await appendRecords(queue, recorder.retry());
    }
    if (performance.now() - countedAt < DROPPED_MS) continue;
    countedAt = performance.now();
    const dropped = recorder.takeDropped();
    const changes = seen
      .forget()
      .map((uid) => ({ resource: 'kubernetes-events' as const, uid, entry: null }));
    await queue.put({ events: dropped === null ? [] : [dropped], changes });
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
