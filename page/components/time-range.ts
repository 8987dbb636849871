import { dayText, localInstant, localTime } from './instants.ts';

/** A range of time, with its limits in milliseconds since 1970. */
export interface TimeRange {
  from: number;
  to: number;
}

/** The shortest visible range, in milliseconds. */
const SHORTEST = 10;

/** A range around these instants, with a margin so that no instant is at its edge. */
export function rangeAround(instants: readonly number[], margin = 0.03): TimeRange {
  const from = Math.min(...instants);
  const to = Math.max(...instants);
  const more = Math.max(1000, (to - from) * margin);
  return { from: from - more, to: to + more };
}

/** The position of an instant in percent of the range; below 0 or above 100 for an instant outside of the range. */
export function percentAt({ from, to }: TimeRange, at: number): number {
  return ((at - from) / (to - from)) * 100;
}

/** The part of a span inside the range, in percent; null if the span is outside of the range. `to` is null when the span has no end. */
export function spanPercents(
  range: TimeRange,
  span: { from: number; to: number | null },
): { start: number; width: number } | null {
  const start = Math.max(0, percentAt(range, span.from));
  const end = span.to === null ? 100 : Math.min(100, percentAt(range, span.to));
  return end < 0 || start > 100 || end < start ? null : { start, width: end - start };
}

/** The range with `factor` times the length, around the same instant. */
export function zoomRange(range: TimeRange, factor: number, around = (range.from + range.to) / 2): TimeRange {
  const length = Math.max(SHORTEST, (range.to - range.from) * factor);
  const share = (around - range.from) / (range.to - range.from);
  return { from: around - length * share, to: around + length * (1 - share) };
}

/** The range moved by a share of its length; a negative share moves it to earlier instants. */
export function panRange({ from, to }: TimeRange, share: number): TimeRange {
  const by = (to - from) * share;
  return { from: from + by, to: to + by };
}

/** The distance between two marks of the axis, in milliseconds. */
const STEPS = [
  1,
  5,
  10,
  50,
  100,
  500,
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 3_600_000),
  ...[1, 2, 7, 14, 30, 90, 365].map((days) => days * 86_400_000),
];

/** The round instants in the range for its marks, at most `most` of them. */
export function axisTicks({ from, to }: TimeRange, most: number): number[] {
  const step = STEPS.find((each) => (to - from) / each <= most) ?? (to - from) / most;
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to && ticks.length < most; at += step) ticks.push(at);
  return ticks;
}

const [MINUTE, DAY] = [60_000, 86_400_000];

/** The text of a mark of the axis, as short as the range allows: the day, the day and the time, or only the time. */
export function tickText(tick: number, { from, to }: TimeRange): string {
  const length = to - from;
  if (length > 8 * DAY) return dayText(tick);
  const time = localInstant(tick).slice(11, 16);
  if (length > DAY) return `${dayText(tick)} ${time}`;
  return length > 8 * MINUTE ? time : localTime(tick);
}
