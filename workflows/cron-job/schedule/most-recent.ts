import { nextTime } from './next-time.ts';
import type { Schedule } from './parse-schedule.ts';
import type { KnownZone } from './zone.ts';

/** All instants are in milliseconds since 1970. */
export interface Elapsed {
  /** The last start, or the creation; with a deadline, an instant not earlier than `now` minus the deadline. */
  since: number;
  now: number;
}

/**
 * The most recent time of a schedule, or null when no time is due; `missed` is estimated from the first interval
 * (J-9.40).
 */
export interface MostRecent {
  time: number | null;
  missed: number;
}

/** The error that Kubernetes reports for a schedule whose times do not exist, such as 31 February (J-9.40). */
export const NO_INTERVAL = 'time difference between two schedules is less than 1 second';

/** The most recent time after `since` and up to `now` (J-9.40); null when the schedule has no next times. */
export function mostRecent(schedule: Schedule, zone: KnownZone, { since, now }: Elapsed): MostRecent | null {
  const first = nextTime(schedule, zone, since);
  if (first === null) return null;
  if (now < first) return { time: null, missed: 0 };
  const second = nextTime(schedule, zone, first);
  if (second === null) return null;
  if (now < second) return { time: first, missed: 0 };
  const gap = second - first;
  const missed = Math.floor((now - first) / gap) + 1;
  return { time: lastUpTo(schedule, zone, first + (missed - 2) * gap, now), missed };
}

/**
 * A minute, an hour, a day, a month and a year: the search for the last time tries these spans in turn, so that the
 * search is short.
 */
const SPANS = [60, 3600, 86_400, 32 * 86_400, 366 * 86_400].map((seconds) => seconds * 1000);

/** The last time after `from` and up to `now`. The times of an interval depend on the beginning of the search. */
function lastUpTo(schedule: Schedule, zone: KnownZone, from: number, now: number): number | null {
  const begins = schedule.kind === 'interval' ? [] : SPANS.map((span) => now - span);
  for (const begin of [...begins.filter((each) => each > from), from]) {
    let last: number | null = null;
    for (
      let at = nextTime(schedule, zone, begin);
      at !== null && at <= now;
      at = nextTime(schedule, zone, at)
    )
      last = at;
    if (last !== null) return last;
  }
  return null;
}

/**
 * The next time at which to look for due starts, before the guard against clock skew is added (J-9.45); null when no
 * time follows.
 */
export function nextAfter(schedule: Schedule, zone: KnownZone, elapsed: Elapsed): number | null {
  const recent = mostRecent(schedule, zone, elapsed);
  const afterNone = recent?.missed === 0 ? elapsed.since : elapsed.now;
  return nextTime(schedule, zone, recent?.time ?? afterNone);
}
