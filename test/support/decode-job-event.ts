import { decodeEvent } from '../../services/adapters/events/event-codec.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { isOfKind } from '../../workflows/ledger-event.ts';

/** An event of a Job or a cluster. @throws when it is of another kind. */
export function decodeJobEvent(value: Buffer | string | null): JobEvent {
  const event = decodeEvent(value);
  if (isOfKind('CronJob', event) || isOfKind('PlacedJob', event))
    throw new Error(`${event.id} is of another kind`);
  return event;
}
