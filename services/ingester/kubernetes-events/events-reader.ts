import type { KubernetesEventsDropped } from '../../../workflows/ledger/kubernetes-events.ts';
import { withDigest } from '../../adapters/events/event-codec.ts';
import { eventVersion } from '../../adapters/kubernetes/watch.ts';
import { namespaceIn, type WatchName } from '../../shards/watch-names.ts';
import type { AppendQueue } from '../append/append-queue.ts';
import type { EventWatch, WatchPosition } from '../live-set/live-set.ts';
import { epochField, epochSuffix, type TranslationScope } from '../translate/translate.ts';
import type { CollectionReader } from '../watch/collection-reader.ts';
import type { EventObject } from './event-object.ts';
import type { EventRecorder, RecordedEventOfJob } from './event-recorder.ts';

/** Appends records of Events, with what is known of the Events of their Jobs afterwards. */
export async function appendRecords(
  queue: Pick<AppendQueue, 'put'>,
  records: readonly RecordedEventOfJob[],
): Promise<void> {
  for (const { event, seen } of records) {
    const uid = event.data.jobUid;
    await queue.put({ events: [event], changes: [{ resource: 'kubernetes-events', uid, entry: seen }] });
  }
}

/**
 * Records the Events that the lists and the watch `name` show. A list is recorded page by page, because each Event counts by
 * itself. The end of an Event is no fact: the API server deletes each after a time.
 */
export function readerOfEvents({
  scope,
  recorder,
  queue,
  name,
  before,
}: {
  scope: TranslationScope;
  recorder: EventRecorder;
  queue: AppendQueue;
  name: WatchName<EventWatch>;
  /** The position at which an earlier ingester stopped. */
  before: WatchPosition | null;
}): CollectionReader<EventObject> {
  let reachedAt = before?.time ?? now();
  const recordPosition = async (resourceVersion: string): Promise<void> => {
    reachedAt = now();
    const position = { resourceVersion, time: reachedAt, ...epochField(scope) };
    await queue.put({ events: [], changes: [{ resource: 'position', of: name, position }] });
  };
  return {
    async compare(pages) {
      let [resourceVersion, firstVersion] = ['', ''];
      for await (const { metadata, items } of pages) {
        resourceVersion = metadata.resourceVersion;
        if (firstVersion === '') firstVersion = resourceVersion;
        for (const event of items) await appendRecords(queue, recorder.observe(event));
      }
      return { resourceVersion, firstVersion, older: null, missing: new Set(), newer: () => [] };
    },
    async listed({ resourceVersion }, gapFrom) {
      if (gapFrom !== null) {
        const gap = { ...gapFrom, to: resourceVersion, since: reachedAt };
        await queue.put({ events: [gapEvent(scope, name, gap)], changes: [] });
      }
      await recordPosition(resourceVersion);
    },
    audited: () => Promise.resolve(),
    async happened(event) {
      if (event.type === 'ADDED' || event.type === 'MODIFIED')
        await appendRecords(queue, recorder.observe(event.object));
      await recordPosition(eventVersion(event));
    },
  };
}

/** The event about a period whose Events the API server may have deleted before they were read. */
function gapEvent(
  scope: TranslationScope,
  name: WatchName<EventWatch>,
  {
    resourceVersion: from,
    to,
    since,
    reason,
  }: { resourceVersion: string; to: string; since: string; reason: string },
): KubernetesEventsDropped {
  const { cluster } = scope;
  const time = now();
  const namespace = namespaceIn(name);
  return withDigest<KubernetesEventsDropped>({
    id: `${cluster}/kubernetes-events-gap/${name}/${from}/${to}${epochSuffix(scope)}`,
    type: 'kubernetes-events.dropped',
    source: cluster,
    subject: cluster,
    time,
    data: {
      cluster,
      since,
      until: time,
      dropped: [],
      gap: { reason, ...(namespace !== undefined && { namespace }) },
    },
  });
}

function now(): string {
  return new Date().toISOString();
}
