import { nothing, only } from '../../job/decide/verdict.ts';
import { isoTime } from '../../job/definitions/instants.ts';
import { unknownStart } from '../definitions/unknown-start.ts';
import type { CronPlan } from './hold-back.ts';
import type { CronSituation, CronVerdict } from './situation.ts';

/**
 * Below feature level 5 nothing says how far the watch is: a Job that was created has been observed by then, since a quiet watch
 * hears from the API server every minute.
 */
const OBSERVED_BY_MS = 120_000;

/** Until then no start is decided, since it could be a second one, or run beside the first (J-9.36); null for no wait. */
export function waitForUnknown({ state, now, settings }: CronSituation): CronVerdict | null {
  const unknown = unknownStart(state);
  if (unknown === null) return null;
  const { name, scheduledAt, after, since } = unknown;
  const words = `whether the start of ${scheduledAt} has created the Job ${name} is not known: a request got no answer; waits for`;
  if (settings.answers !== true) {
    const until = since + OBSERVED_BY_MS;
    if (now >= until) return null;
    return {
      commands: [],
      lookAgainAt: until,
      waiting: { rule: 'J-9.38', words: `${words} its observation until ${isoTime(until)}` },
    };
  }
  const version = after === null ? 'the present version' : `version ${after}`;
  return {
    commands: [],
    lookAgainAt: state.retries.AwaitWatch?.until ?? null,
    waiting: { rule: 'J-9.38', words: `${words} the watch of Jobs to pass ${version}` },
  };
}

/** Asks how far the watch of Jobs is. */
export function awaitWatch({ state, settings }: CronSituation): CronPlan {
  const unknown = unknownStart(state);
  if (unknown === null || settings.answers !== true) return nothing;
  const why = { rule: 'J-9.38', words: `whether the Job ${unknown.name} was created` } as const;
  const epoch = state.epoch > 0 && { epoch: state.epoch };
  return only({ kind: 'AwaitWatch', resource: 'jobs', resourceVersion: unknown.after, ...epoch, why });
}
