import { endsStream } from '../../ledger/streams.ts';
import type { PeriodFilter } from './period.ts';

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
