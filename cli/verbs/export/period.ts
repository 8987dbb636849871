import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { endsStream } from '../../ledger/streams.ts';

/** A period from `since` (inclusive) to `until` (exclusive), in milliseconds since 1970; an absent field sets no bound. */
export interface Period {
  since?: number;
  until?: number;
}

/** Returns a test that is true for an event in a period. */
export function isInPeriod({ since = -Infinity, until = Infinity }: Period): (event: LedgerEvent) => boolean {
  return ({ time }) => {
    const at = Date.parse(time);
    return at >= since && at < until;
  };
}

/** Returns a test that is true for the deletion of a Job or CronJob before an instant. */
export function isDeletionBefore(before: number): (event: LedgerEvent) => boolean {
  return (event) => endsStream(event) && Date.parse(event.time) < before;
}
