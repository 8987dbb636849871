import { isTerminal } from '../../job/definitions/pod-phase.ts';
import { isoTime } from '../../ledger/instants.ts';
import type { JobEvent } from '../../job/events.ts';
import { endIn } from '../placements/pod-runs.ts';

/** The end of a container is a whole second in the status of its pod. */
const RESOLUTION_MS = 1000;

/**
 * The instant of the change that each event shows: the end of the containers for the first observation of a pod's
 * end, the instant at which the API server received an audited request, and the time of the record for other events. The time of a record in the same second is more exact than the
 * status; an end before the creation of the pod, or after its record, comes from a wrong clock.
 */
export function happenedAtIn(events: readonly JobEvent[]): (event: JobEvent) => string {
  const ends = new Map<string, string>();
  const ended = new Set<string>();
  for (const event of events) {
    if (event.type !== 'pod.observed') continue;
    const { metadata, status } = event.data.object;
    if (!isTerminal(status?.phase) || ended.has(metadata.uid)) continue;
    ended.add(metadata.uid);
    const end = endIn(event.data.object);
    const isKnown = end !== null && end >= Date.parse(metadata.creationTimestamp);
    if (isKnown && end + RESOLUTION_MS <= Date.parse(event.time)) ends.set(event.id, isoTime(end));
  }
  return (event) =>
    event.type === 'api-request.audited'
      ? isoTime(Date.parse(event.data.receivedAt))
      : (ends.get(event.id) ?? event.time);
}
