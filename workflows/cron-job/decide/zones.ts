import type { CronJobFacts } from '../facts.ts';
import { parseSchedule, splitZone, type ParsedSchedule } from '../schedule/parse-schedule.ts';
import {
  coversPeriod,
  UTC,
  UTC_RULES,
  zonePeriod,
  type ZonePeriod,
  type ZoneRules,
} from '../schedule/zone.ts';
import type { CronSettings } from '../settings.ts';
import type { CronJobState } from '../state.ts';
import { lastStart } from './look-ups.ts';
import { presentStatus } from '../definitions/present-status.ts';

/** The names of the zones of a CronJob: the zone of its schedule and the zone of its field `timeZone`. */
interface ZonesOf {
  schedule: string;
  field: string | null;
}

/**
 * The zones whose rules `settings.zones` must have before `decide` is called, with their periods; empty when all are
 * present. The periods are longer than necessary, so that the rules last for at least a month.
 */
export function missingZones(state: CronJobState, now: number, settings: CronSettings): ZonePeriod[] {
  const { cronJob } = state;
  if (cronJob === null || state.gone) return [];
  const { schedule, field } = zoneNames(cronJob, settings);
  const since = lastStart(presentStatus(state, cronJob), cronJob.createdAt);
  return [...new Set([schedule, field ?? UTC])]
    .filter((name) => !isUtc(name))
    .map((name) => zonePeriod(name, since, now))
    .filter((need) => !settings.zones.some((rules) => coversPeriod(rules, need)))
    .map((need) => ({ ...need, until: need.until + RESERVE }));
}

const RESERVE = 31 * 86_400_000;

/**
 * The names of the zones of a CronJob; `TZ` anywhere in the schedule takes precedence over the field `timeZone`
 * (J-9.4, J-9.32).
 */
function zoneNames({ spec: { schedule, timeZone } }: CronJobFacts, { localTimeZone }: CronSettings): ZonesOf {
  const split = splitZone(schedule);
  const inSchedule = 'error' in split || split.zone === 'Local' ? null : split.zone;
  const ofField = schedule.includes('TZ') ? null : (timeZone ?? null);
  return { schedule: inSchedule ?? ofField ?? localTimeZone, field: timeZone ?? null };
}

/** True for a name of UTC, which needs no rules. */
function isUtc(name: string): boolean {
  return name === UTC || name === '';
}

/** The rules of both zones from the settings; `missing` when the settings lack them. */
export function zoneRules(
  cronJob: CronJobFacts,
  settings: CronSettings,
): { schedule: ZoneRules; field: ZoneRules } | { missing: string } {
  const { schedule, field } = zoneNames(cronJob, settings);
  /** The rules of the zone with this name; undefined when the settings lack them. */
  const find = (name: string): ZoneRules | undefined =>
    isUtc(name) ? UTC_RULES : settings.zones.find((rules) => rules.name === name);
  const [ofSchedule, ofField] = [find(schedule), find(field ?? UTC)];
  if (ofSchedule === undefined || ofField === undefined)
    return { missing: ofSchedule === undefined ? schedule : (field ?? UTC) };
  return { schedule: ofSchedule, field: ofField };
}

/** The schedule, or the error that Kubernetes reports, which may be about the zone of the schedule (J-9.32). */
export function readSchedule({ spec }: CronJobFacts, zone: ZoneRules): ParsedSchedule {
  if (spec.schedule === '' && spec.timeZone === undefined) return { error: 'empty spec string' };
  const split = splitZone(spec.schedule);
  if ('error' in split) return split;
  if ('unknown' in zone) return { error: `provided bad location ${zone.name}: ${zone.unknown}` };
  return parseSchedule(split.rest);
}
