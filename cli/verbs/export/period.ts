import { type StreamConsumer, endsStream } from '../../ledger/streams.ts';

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

/** Finds out whether the Job or CronJob of a stream was deleted before an instant. */
export function endedFilter(before: number): PeriodFilter {
  let isEnded = false;
  return {
    add(event) {
      isEnded ||= endsStream(event) && Date.parse(event.time) < before;
    },
    isPresent: () => isEnded,
  };
}
