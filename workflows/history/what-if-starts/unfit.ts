import type { CronJobEvent } from '../../cron-job/events.ts';
import { quoted } from '../../cron-job/schedule/go-text.ts';
import { parseSchedule } from '../../cron-job/schedule/parse-schedule.ts';
import type { CronJobSpec } from '../../kubernetes/objects.ts';
import { changedSpec } from './changed-spec.ts';
import type { RulesOfZone, StartChange } from './types.ts';

/**
 * The reason why the API server would reject the CronJob with this change, in the words of the API server; null when
 * the API server would accept it (J-9.2).
 */
export function unfitFor(
  events: readonly CronJobEvent[],
  change: StartChange,
  rulesOfZone: RulesOfZone,
): string | null {
  const seen = events.find((event) => event.type === 'cronjob.observed');
  if (seen === undefined) return 'the CronJob itself was never seen';
  return (
    unfitSchedule(change) ??
    unfitZone(change, rulesOfZone) ??
    unfitPair(changedSpec(seen.data.object.spec, change))
  );
}

/** The reason why the API server would reject the schedule of the change. */
function unfitSchedule({ schedule }: StartChange): string | null {
  if (schedule === undefined || schedule === null) return null;
  if (schedule.includes('TZ'))
    return 'spec.schedule: cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
  const parsed = parseSchedule(schedule);
  return 'error' in parsed ? `spec.schedule: ${quoted(schedule)}: ${parsed.error}` : null;
}

/** The reason why the API server would reject the time zone of the change. */
function unfitZone({ timeZone }: StartChange, rulesOfZone: RulesOfZone): string | null {
  if (timeZone === undefined || timeZone === null) return null;
  if (timeZone.toLowerCase() === 'local')
    return 'spec.timeZone: timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  const rules = rulesOfZone({ name: timeZone, from: 0, until: 0 });
  return 'unknown' in rules ? `spec.timeZone: ${rules.unknown}` : null;
}

/**
 * The reason why the API server would reject the schedule together with the time zone; a recorded schedule may
 * contain its own zone.
 */
function unfitPair({ schedule, timeZone }: CronJobSpec): string | null {
  return timeZone !== undefined && schedule.includes('TZ')
    ? 'spec.schedule: cannot use both timeZone field and TZ or CRON_TZ in schedule'
    : null;
}
