import { isoTime } from '../../workflows/ledger/instants.ts';
import { isTimeZone } from '../../services/adapters/time-zones.ts';
import { localTime } from './local-time.ts';

/** A start (milliseconds), with the local time in the zone of the schedule. */
export function startLine(at: number, zone: string | null): string {
  return zone === null ? isoTime(at) : `${isoTime(at)}  ${localTime(at, zone)}`;
}

/** The time zone of a schedule; null when this machine does not know the zone. */
export function zoneOfSchedule(schedule: string | null, timeZone: string | null): string | null {
  const zone = timeZone ?? /^(?:CRON_)?TZ=(\S+)/.exec(schedule ?? '')?.[1] ?? null;
  return zone !== null && isTimeZone(zone) ? zone : null;
}
