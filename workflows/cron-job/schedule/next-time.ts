import type { CalendarSchedule, Schedule } from './parse-schedule.ts';
import { instantOfWall, wallAt, type KnownZone } from './zone.ts';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/**
 * The first time of a schedule after an instant, both in milliseconds since 1970; null when no time occurs before the
 * end of the fifth year (J-9.4). The steps are those of robfig/cron v3, so that the result agrees with Kubernetes for
 * times that clocks skip or show twice.
 */
export function nextTime(schedule: Schedule, zone: KnownZone, after: number): number | null {
  const second = Math.floor(after / 1000);
  if (schedule.kind === 'interval') return (second + schedule.seconds) * 1000;
  const { minute, hour, month } = schedule;
  if ([minute, hour, month].some(({ values }) => values.length === 0)) return null;
  const next = searchTime(schedule, zone, second + 1);
  return next === null ? null : next * 1000;
}

/**
 * The first time of a calendar schedule from an instant on; goes through the fields, the greatest first, and checks
 * all fields again when one wraps around.
 */
function searchTime(schedule: CalendarSchedule, zone: KnownZone, from: number): number | null {
  const { minute, hour, month } = schedule;
  /** The wall-clock time of an instant in the zone. */
  const wallOf = (instant: number): Wall => wallClock(wallAt(zone, instant));
  /** The instant of a wall-clock time in the zone. */
  const instantAt = (...wall: Parameters<typeof wallSeconds>): number =>
    instantOfWall(zone, wallSeconds(...wall));
  let at = from;
  let cut = false;
  const limit = wallOf(at).year + 5;

  wrap: for (;;) {
    if (wallOf(at).year > limit) return null;

    while (!month.values.includes(wallOf(at).month)) {
      if (!cut) at = instantAt(wallOf(at).year, wallOf(at).month, 1);
      cut = true;
      const wall = wallOf(at);
      at = instantAt(wall.year, wall.month + 1, wall.day, wall.hour, wall.minute, wall.second);
      if (wallOf(at).month === 1) continue wrap;
    }

    while (!dayMatches(schedule, wallOf(at))) {
      const wall = wallOf(at);
      if (!cut) at = instantAt(wall.year, wall.month, wall.day);
      cut = true;
      at = nextDay(at, wallOf(at), instantAt);
      // The clock may skip midnight, or show midnight twice.
      const { hour: shown } = wallOf(at);
      if (shown !== 0) at += (shown > 12 ? 24 - shown : -shown) * HOUR;
      if (wallOf(at).day === 1) continue wrap;
    }

    while (!hour.values.includes(wallOf(at).hour)) {
      const wall = wallOf(at);
      if (!cut) at = instantAt(wall.year, wall.month, wall.day, wall.hour);
      cut = true;
      at += HOUR;
      if (wallOf(at).hour === 0) continue wrap;
    }

    while (!minute.values.includes(wallOf(at).minute)) {
      if (!cut) at -= at % MINUTE;
      cut = true;
      at += MINUTE;
      if (wallOf(at).minute === 0) continue wrap;
    }

    while (wallOf(at).second !== 0) {
      cut = true;
      at += 1;
      if (wallOf(at).second === 0) continue wrap;
    }
    return at;
  }
}

/**
 * The same wall-clock time on the next day. Where the clock skips a whole day, the search of Kubernetes never ends,
 * but this search continues.
 */
function nextDay(
  at: number,
  wall: Wall,
  instantAt: (...wall: Parameters<typeof wallSeconds>) => number,
): number {
  const next = instantAt(wall.year, wall.month, wall.day + 1, wall.hour, wall.minute, wall.second);
  return next > at ? next : at + DAY;
}

interface Wall {
  year: number;
  month: number;
  day: number;
  weekday: number;
  hour: number;
  minute: number;
  second: number;
}

/** The fields of a wall-clock time that is given in seconds. */
function wallClock(seconds: number): Wall {
  const date = new Date(seconds * 1000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
}

/** The seconds of a wall-clock time that is given by its fields. */
function wallSeconds(year: number, month: number, day: number, hour = 0, minute = 0, second = 0): number {
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
}

/**
 * True when a day matches the schedule. When one of the two fields is a plain star, both fields must match; otherwise
 * one match suffices (J-9.3).
 */
function dayMatches({ dayOfMonth, dayOfWeek }: CalendarSchedule, { day, weekday }: Wall): boolean {
  const [ofMonth, ofWeek] = [dayOfMonth.values.includes(day), dayOfWeek.values.includes(weekday)];
  return dayOfMonth.star || dayOfWeek.star ? ofMonth && ofWeek : ofMonth || ofWeek;
}
