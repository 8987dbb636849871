import { nextTime } from '../../../workflows/cron-job/schedule/next-time.ts';
import {
  parseSchedule,
  splitZone,
  type Schedule,
} from '../../../workflows/cron-job/schedule/parse-schedule.ts';
import { UTC, UTC_RULES, type KnownZone } from '../../../workflows/cron-job/schedule/zone.ts';
import { zoneRules } from '../../adapters/time-zones.ts';

/** A period in milliseconds since 1970; `until` is not part of it. */
export interface SchedulePeriod {
  from: number;
  until: number;
}

/** The fields of a CronJob that determine the times of its starts, as observed from `since` on (milliseconds). */
export interface CronJobVersion {
  since: number;
  schedule: string | null;
  /** spec.timeZone; null when the time zone of the controller applies, which is not known: UTC is assumed. */
  timeZone: string | null;
  suspend: boolean;
  deleted: boolean;
}

/**
 * The times of the schedule of a CronJob in a period, in milliseconds, by the version that was observed last before each
 * time; `versions` are in order. Times of a suspended or deleted CronJob, of an invalid schedule and of `@every` are left
 * out: the times of `@every` depend on the start of the controller.
 */
export function dueTimes(versions: readonly CronJobVersion[], period: SchedulePeriod): number[] {
  return versions.flatMap((version, index) => {
    const from = Math.max(version.since, period.from);
    const until = Math.min(versions[index + 1]?.since ?? Infinity, period.until);
    if (version.suspend || version.deleted || version.schedule === null || from >= until) return [];
    const known = readSchedule(version.schedule, version.timeZone, { from, until });
    return known === null ? [] : timesOf(known.schedule, known.zone, { from, until });
  });
}

function timesOf(schedule: Schedule, zone: KnownZone, { from, until }: SchedulePeriod): number[] {
  const times: number[] = [];
  // A time is after an instant, so the millisecond before the period is the first instant.
  for (
    let at = nextTime(schedule, zone, from - 1);
    at !== null && at < until;
    at = nextTime(schedule, zone, at)
  )
    times.push(at);
  return times;
}

/** A calendar schedule with the rules of its zone; null for any other schedule, and for an unknown zone. */
function readSchedule(
  text: string,
  timeZone: string | null,
  period: SchedulePeriod,
): { schedule: Schedule; zone: KnownZone } | null {
  const split = splitZone(text);
  if ('error' in split) return null;
  const parsed = parseSchedule(split.rest);
  if ('error' in parsed || parsed.schedule.kind !== 'calendar') return null;
  const name = split.zone ?? timeZone ?? UTC;
  const zone = name === UTC || name === '' ? UTC_RULES : zoneRules({ name, ...period });
  return 'unknown' in zone ? null : { schedule: parsed.schedule, zone };
}
