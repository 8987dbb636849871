import { eventKindName, isOfKind, type LedgerEvent } from '../../ledger-event.ts';
import { isoTime } from '../../ledger/instants.ts';
import { effectiveDecisions } from '../../decision/folding.ts';
import { isDecision } from '../../decision/stream.ts';
import { refusal, type Refused } from '../refused.ts';

/**
 * A point of the stream of a Job or CronJob: its end; an instant in milliseconds since 1970; an event, by its id,
 * or by its number if the event is a decision that is not superseded; or the earlier of an instant and an event. Events up to and including the point
 * are folded.
 */
export type Point = 'end' | { at: number } | { until: string } | { at: number; until: string };

/**
 * The events of a Job or CronJob up to the point, in ledger order; events of its cluster and superseded decisions are
 * left out.
 */
export function eventsUpTo<E extends LedgerEvent>(events: readonly E[], point: Point): E[] | Refused {
  const stream = events.filter((event) => eventKindName(event) !== undefined);
  const part = partUntil(stream, point);
  if (!Array.isArray(part)) return part;
  const effective = new Set(effectiveDecisions(stream).map(({ id }) => id));
  return part.filter((event) => !isDecision<LedgerEvent>(event) || effective.has(event.id));
}

/** The part of a stream up to a point, or the refusal of a point that the stream does not contain. */
function partUntil<E extends LedgerEvent>(stream: E[], point: Point): E[] | Refused {
  const first = stream[0];
  if (first === undefined) return refusal('unknown', 'the ledger holds no event of it');
  if (point === 'end') return stream;
  if ('at' in point && 'until' in point) {
    const upToInstant = partUntil(stream, { at: point.at });
    const upToEvent = partUntil(stream, { until: point.until });
    if (!Array.isArray(upToInstant)) return upToInstant;
    return Array.isArray(upToEvent) && upToEvent.length > upToInstant.length ? upToInstant : upToEvent;
  }
  if ('at' in point) {
    const later = stream.findIndex(({ time }) => Date.parse(time) > point.at);
    if (later !== 0) return later < 0 ? stream : stream.slice(0, later);
    return refusal(
      'invalid',
      `the ${streamNoun(first)} has no event up to ${isoTime(point.at)}: its first event is of ${first.time}`,
    );
  }
  const last = stream.findLastIndex((event) => isNamedBy(event, point.until));
  if (last < 0)
    return refusal(
      'unknown',
      `the ${streamNoun(first)} has no event "${point.until}": give an id as "jobledger history -o json" shows it, or the number of a decision`,
    );
  return stream.slice(0, last + 1);
}

/**
 * True when an event is the one that `until` names, by its id or as the number of a decision; if two decisions have
 * the same number, the later decision is effective.
 */
function isNamedBy(event: LedgerEvent, until: string): boolean {
  return event.id === until || (isDecision(event) && String(event.data.number) === until);
}

function streamNoun(event: LedgerEvent): string {
  return isOfKind('CronJob', event) ? 'CronJob' : 'Job';
}
