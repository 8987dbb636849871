import { isoTime } from '../../job/definitions/instants.ts';
import type { CronCommand } from '../commands.ts';
import type { CronSettings } from '../settings.ts';
import { unknownStart } from '../definitions/unknown-start.ts';
import type { CronJobState } from '../state.ts';
import type { Held } from './held.ts';

/**
 * Below feature level 5 nothing says how far the watch is: a Job that was created has been observed by then, since a quiet watch
 * hears from the API server every minute.
 */
const OBSERVED_BY_MS = 120_000;

/** Until then no start is decided, since it could be a second one, or run beside the first (J-9.36); null for no wait. */
export function waitForUnknown(state: CronJobState, now: number, settings: CronSettings): Held | null {
  const unknown = unknownStart(state);
  if (unknown === null) return null;
  const { name, scheduledAt, after, since } = unknown;
  const words = `whether the start of ${scheduledAt} has created the Job ${name} is not known: a request got no answer; waits for`;
  if (settings.answers !== true) {
    const until = since + OBSERVED_BY_MS;
    if (now >= until) return null;
    return {
      lookAgainAt: until,
      waiting: { rule: 'J-9.38', words: `${words} its observation until ${isoTime(until)}` },
    };
  }
  const version = after === null ? 'the present version' : `version ${after}`;
  return {
    lookAgainAt: state.retries.AwaitWatch?.until ?? null,
    waiting: { rule: 'J-9.38', words: `${words} the watch of Jobs to pass ${version}` },
  };
}

/** Asks how far the watch of Jobs is, with a back-off. */
export function awaitWatch(state: CronJobState, now: number, settings: CronSettings): CronCommand[] {
  const unknown = unknownStart(state);
  if (unknown === null || settings.answers !== true) return [];
  if ((state.retries.AwaitWatch?.until ?? 0) > now) return [];
  const why = { rule: 'J-9.38', words: `whether the Job ${unknown.name} was created` } as const;
  const epoch = state.epoch > 0 && { epoch: state.epoch };
  return [{ kind: 'AwaitWatch', resource: 'jobs', resourceVersion: unknown.after, ...epoch, why }];
}
