import { comingStarts, type ComingStarts } from '../workflows/cron-job/coming-starts.ts';
import { missingZones } from '../workflows/cron-job/decide/zones.ts';
import type { CronJobEvent } from '../workflows/cron-job/events.ts';
import { DEFAULT_CRON_SETTINGS } from '../workflows/cron-job/settings.ts';
import type { CronJobState } from '../workflows/cron-job/state.ts';
import { replayCronJobTo } from '../workflows/history/replay/replay-to.ts';
import { zoneRules } from '../services/adapters/time-zones.ts';
import { isRefused, type Refused } from '../workflows/history/refused.ts';

/** The next starts of a CronJob after now, at most `count`, by its stream, and its state. */
export function comingStartsOf(
  events: readonly CronJobEvent[],
  count: number,
): { coming: ComingStarts; state: CronJobState } | Refused {
  const replayed = replayCronJobTo(events, 'end');
  if (isRefused(replayed)) return replayed;
  const { state } = replayed;
  const now = Date.now();
  const settings =
    events.findLast((event) => event.type === 'cronjob.decided')?.data.settings ?? DEFAULT_CRON_SETTINGS;
  const zones = missingZones(state, now, { ...settings, zones: [] }).map(zoneRules);
  return { coming: comingStarts(state, now, { ...settings, zones }, count), state };
}
