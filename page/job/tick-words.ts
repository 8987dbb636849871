import { localInstant, localTime } from '../words/instants.ts';
import type { TimeRange } from './time-range.ts';

const [MINUTE, DAY] = [60_000, 86_400_000];

/** A mark of the axis, as short as the range allows: the day, the day and the time, or the time alone. */
export function tickWords(tick: number, { from, to }: TimeRange): string {
  const words = localInstant(tick);
  const length = to - from;
  if (length > 8 * DAY) return words.slice(5, 10);
  if (length > DAY) return words.slice(5, 16);
  return length > 8 * MINUTE ? words.slice(11, 16) : localTime(tick);
}
