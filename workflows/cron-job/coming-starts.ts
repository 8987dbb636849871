import type { Reason } from '../decision/reason.ts';
import { decide } from './decide/decide.ts';
import { lastStart } from './decide/look-ups.ts';
import { presentStatus } from './definitions/present-status.ts';
import { readSchedule, zoneRules } from './decide/zones.ts';
import { nextAfter } from './schedule/most-recent.ts';
import { nextTime } from './schedule/next-time.ts';
import type { CronSettings } from './settings.ts';
import type { CronJobState } from './state.ts';

/**
 * The next times of a CronJob's schedule, in milliseconds since 1970, and its reason to wait; null without a reason.
 */
export interface ComingStarts {
  starts: number[];
  waiting: Reason | null;
}

/**
 * At most `count` times after `now` (J-9.4, J-9.45); the list is empty for a CronJob that must start no Jobs, and
 * `waiting` has the reason (J-9.32).
 */
export function comingStarts(
  state: CronJobState,
  now: number,
  settings: CronSettings,
  count: number,
): ComingStarts {
  const { cronJob } = state;
  if (cronJob === null || state.gone) return noStarts('J-9.20', 'the CronJob does not exist');
  const { waiting } = decide(state, now, settings);
  if (cronJob.deleting || cronJob.spec.suspend === true) return { starts: [], waiting };
  const rules = zoneRules(cronJob, settings);
  if ('missing' in rules || 'unknown' in rules.schedule || 'unknown' in rules.field)
    return { starts: [], waiting };
  const parsed = readSchedule(cronJob, rules.schedule);
  if ('error' in parsed) return { starts: [], waiting };
  const since = lastStart(presentStatus(state, cronJob), cronJob.createdAt);
  const starts: number[] = [];
  let next = nextAfter(parsed.schedule, rules.schedule, { since, now });
  while (next !== null && starts.length < count) {
    starts.push(next);
    next = nextTime(parsed.schedule, rules.schedule, next);
  }
  return { starts, waiting };
}

/** The answer that a CronJob has no coming starts, with the reason. */
function noStarts(rule: Reason['rule'], message: string): ComingStarts {
  return { starts: [], waiting: { rule, message } };
}
