import type { PeriodFilter } from './period.ts';

/** Finds out whether the Job of a stream was deleted before an instant. */
export function endedFilter(before: number): PeriodFilter {
  let isEnded = false;
  return {
    add({ type, time }) {
      isEnded ||= type === 'job.deleted' && Date.parse(time) < before;
    },
    isPresent: () => isEnded,
  };
}
