import { dayText, localInstant, localTime } from '../words/instants.ts';
import type { TimeRange } from './time-range.ts';

const [MINUTE, DAY] = [60_000, 86_400_000];

/** The text of a mark of the axis, as short as the range allows: the day, the day and the time, or only the time. */
export function tickText(tick: number, { from, to }: TimeRange): string {
  const length = to - from;
  if (length > 8 * DAY) return dayText(tick);
  const time = localInstant(tick).slice(11, 16);
  if (length > DAY) return `${dayText(tick)} ${time}`;
  return length > 8 * MINUTE ? time : localTime(tick);
}
