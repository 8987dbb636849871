import { isOfKind, streamUid, type LedgerEvent } from '../../../workflows/ledger-event.ts';
import { streamKey, type TracedStream } from './ids.ts';
import type { RecordSpan } from './span.ts';

/** The stream that an event belongs to; null for events of a cluster. */
export function tracedStream(event: LedgerEvent): TracedStream | null {
  const uid = streamUid(event);
  return uid === undefined ? null : { cluster: event.data.cluster, uid };
}

/**
 * Records a span for each appended fact, which begins with its observation; the first version of a Job also gets the root span.
 */
export function traceAppended(record: RecordSpan): (events: readonly LedgerEvent[]) => void {
  return (events) => {
    const end = Date.now();
    for (const event of events) {
      const stream = tracedStream(event);
      if (stream === null) continue;
      const start = Date.parse(event.time);
      if (isFirstVersion(event)) {
        const created = Date.parse(event.data.object.metadata.creationTimestamp);
        const name = `Job ${event.subject}`;
        record({
          stream,
          name,
          kind: 'internal',
          of: streamKey(stream),
          parent: null,
          start: created,
          end: start,
        });
      }
      const attributes = { 'jobledger.event': event.id };
      record({
        stream,
        name: event.type,
        kind: 'producer',
        of: event.id,
        parent: streamKey(stream),
        start,
        end,
        attributes,
      });
    }
  };
}

type Observed = Extract<LedgerEvent, { type: 'job.observed' | 'cronjob.observed' }>;

/** True for an event with a Job as it was created, before a controller has seen the Job. */
function isFirstVersion(event: LedgerEvent): event is Observed {
  if (event.type !== 'cronjob.observed' && (event.type !== 'job.observed' || isOfKind('CronJob', event)))
    return false;
  const { metadata, status = {} } = event.data.object;
  return (metadata.generation ?? 1) === 1 && Object.keys(status).length === 0;
}
