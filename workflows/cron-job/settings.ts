import type { ZoneRules } from './schedule/zone.ts';

/**
 * The input of `decide` besides state and time. Each decision records the settings, so that a replay uses the same
 * values.
 */
export interface CronSettings {
  /** The zone of schedules without a zone; the built-in controller uses the zone of its process (J-9.4). */
  localTimeZone: string;
  /** The rules of the zones that the decision needs (`missingZones`). */
  zones: ZoneRules[];
}

export const DEFAULT_CRON_SETTINGS: CronSettings = { localTimeZone: 'UTC', zones: [] };

/** The settings with these rules in place of earlier rules of the same zones. */
export function withZones(settings: CronSettings, rules: readonly ZoneRules[]): CronSettings {
  const kept = settings.zones.filter(({ name }) => !rules.some((each) => each.name === name));
  return { ...settings, zones: [...kept.slice(-MOST_KEPT), ...rules] };
}

/** A decision needs at most two zones; the settings drop the zones of an earlier `timeZone`. */
const MOST_KEPT = 1;
