import type { KubernetesEventObserved } from '../../../workflows/job/events.ts';
import type { KubernetesEventsDropped } from '../../../workflows/ledger/kubernetes-events.ts';
import { withDigest } from '../../adapters/events/event-codec.ts';
import { epochField, epochSuffix, type TranslationScope } from '../translate/translate.ts';
import type { EventObject } from './event-object.ts';
import { createDroppedCounts } from './dropped-counts.ts';
import { createNamespaceRate } from './namespace-rate.ts';
import { readEvent, type ReadEvent } from './read-event.ts';
import type { SeenEvents, SeenOfJob } from './seen-events.ts';
import { createWaitingRoom } from './waiting-room.ts';

/** The Job in whose stream an Event is recorded. */
export interface StreamOfEvent {
  jobUid: string;
  jobName: string;
}

/**
 * Finds the Job of an Event. `unknown` means that the object may become known. `other` means that no Job controls the pod, or
 * that the object is not what the Event says.
 */
export type FindStream = (event: ReadEvent) => StreamOfEvent | 'unknown' | 'other';

/** An Event to record, with what is known of the Events of its Job afterwards. */
export interface RecordedEventOfJob {
  event: KubernetesEventObserved;
  seen: SeenOfJob;
}

/** What happened to an Event; the label of a metric. */
export type EventResult = 'recorded' | 'repeated' | 'other' | 'waiting' | 'dropped';

/** Decides which Kubernetes Events are recorded. */
export interface EventRecorder {
  /** Handles an Event that a list or a watch showed; returns its record, if there is one. */
  observe(event: EventObject): RecordedEventOfJob[];
  /** Handles the waiting Events again, because objects may have become known, and drops those that waited too long. */
  retry(): RecordedEventOfJob[];
  /** The event with the number of dropped Events since the last call; null when nothing was dropped. */
  takeDropped(): KubernetesEventsDropped | null;
  /** The number of Events that wait for their object. */
  readonly waitingCount: number;
}

export function createEventRecorder(
  scope: Pick<TranslationScope, 'cluster' | 'epoch'>,
  {
    findStream,
    seen,
    count,
    now = Date.now,
  }: { findStream: FindStream; seen: SeenEvents; count: (result: EventResult) => void; now?: () => number },
): EventRecorder {
  const waitingRoom = createWaitingRoom(now);
  const takeOfNamespace = createNamespaceRate(now);
  const dropped = createDroppedCounts(scope.cluster, now);
  const drop = (namespace: string, cause: Parameters<typeof dropped.add>[1]): [] => {
    dropped.add(namespace, cause);
    count('dropped');
    return [];
  };
  const recordIn = (stream: StreamOfEvent, event: ReadEvent): RecordedEventOfJob[] => {
    const novelty = seen.noveltyOf(stream.jobUid, event);
    if (novelty === 'repeated') {
      count('repeated');
      return [];
    }
    if (novelty === 'beyond') return drop(event.namespace, 'job-budget');
    if (!takeOfNamespace(event.namespace)) return drop(event.namespace, 'namespace-rate');
    count('recorded');
    const record = ledgerEvent(scope, { stream, event, isLast: novelty === 'last', time: isoTime(now()) });
    return [{ event: record, seen: seen.add(stream.jobUid, event) }];
  };
  return {
    observe(object) {
      const event = readEvent(object);
      if (event === 'unreadable') return drop(object.metadata.namespace, 'unreadable');
      const stream = event === 'other' ? 'other' : findStream(event);
      if (event === 'other' || stream === 'other') {
        count('other');
        return [];
      }
      if (stream !== 'unknown') return recordIn(stream, event);
      if (!waitingRoom.add(event)) return drop(event.namespace, 'too-many-waiting');
      count('waiting');
      return [];
    },
    retry() {
      const records: RecordedEventOfJob[] = [];
      waitingRoom.settle((event) => {
        const stream = findStream(event);
        if (stream === 'unknown') return false;
        if (stream === 'other') count('other');
        else records.push(...recordIn(stream, event));
        return true;
      });
      for (const { namespace } of waitingRoom.expired()) drop(namespace, 'unknown-object');
      return records;
    },
    takeDropped: () => dropped.take(),
    get waitingCount() {
      return waitingRoom.size;
    },
  };
}

/** The event of the ledger about an Event. */
function ledgerEvent(
  scope: Pick<TranslationScope, 'cluster' | 'epoch'>,
  {
    stream: { jobUid, jobName },
    event: { namespace, regardingVersion: _version, ...event },
    isLast,
    time,
  }: { stream: StreamOfEvent; event: ReadEvent; isLast: boolean; time: string },
): KubernetesEventObserved {
  const { cluster } = scope;
  const { eventUid, resourceVersion } = event;
  return withDigest<KubernetesEventObserved>({
    id: `${cluster}/kubernetes-event/${event.regarding.uid}/${eventUid}/${resourceVersion}${isLast ? '/last' : ''}${epochSuffix(scope)}`,
    type: 'kubernetes-event.observed',
    source: cluster,
    subject: `${namespace}/${jobName}`,
    time,
    data: { cluster, jobUid, ...event, ...(isLast && { isLast }), ...epochField(scope) },
  });
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
