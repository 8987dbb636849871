import type { StreamConsumer } from '../../ledger/streams.ts';

/** `since` inclusive, `until` exclusive, in milliseconds since the epoch; an absent bound is open. */
export interface Period {
  since?: number;
  until?: number;
}

/** Finds out whether a stream has an event that was recorded in a period. */
export interface PeriodFilter extends StreamConsumer {
  isPresent(): boolean;
}

export function periodFilter({ since = -Infinity, until = Infinity }: Period): PeriodFilter {
  let found = false;
  return {
    add(event) {
      const time = Date.parse(event.time);
      found ||= time >= since && time < until;
    },
    isPresent: () => found,
  };
}
