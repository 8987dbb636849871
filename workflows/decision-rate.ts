import { afterError, type RetryDelays } from './decision/retry.ts';
import type { Retry } from './decision/retry.ts';

/**
 * The number of times that the same commands may be decided within the window, in milliseconds, before the run is
 * slowed down.
 */
const FREE = { times: 100, withinMs: 60_000 };
const DELAYS: RetryDelays = { firstMs: 1000, longestMs: 60_000 };
/** The number of the latest decisions that are remembered, because a loop may alternate between decisions. */
const REMEMBERED = 16;
/** Longer lists are compared by their first item and by their length. */
const LONG = 20;

/** Commands are the same when they differ only in the versions of objects and in instants. */
const VOLATILE = new Set([
  'why',
  'preconditions',
  'from',
  'resourceVersion',
  'generation',
  'lastProbeTime',
  'lastTransitionTime',
]);

interface Counted {
  since: number;
  times: number;
  slowed: Retry | undefined;
}

/**
 * Slows down a run that decides the same again and again because of a bug, or because a cluster undoes each change.
 */
export interface DecisionRate {
  /**
   * Counts a decision. Returns the time until which the next decision waits, in milliseconds; null for no wait.
   * `isNews` is true when the run was not slowed down before.
   */
  count(now: number, commands: readonly object[]): { until: number; isNews: boolean } | null;
}

/**
 * Counts how often a run decides the same; the result depends only on the decisions and their instants, so a replay
 * gives the same result.
 */
export function createDecisionRate(): DecisionRate {
  const latest = new Map<string, Counted>();
  return {
    count(now, commands) {
      if (commands.length === 0) return null;
      const key = comparableText(commands);
      const known = latest.get(key);
      latest.delete(key);
      const isRecent =
        known !== undefined && now - Math.max(known.since, known.slowed?.until ?? 0) < FREE.withinMs;
      const counted: Counted = isRecent ? known : { since: now, times: 0, slowed: undefined };
      counted.times += 1;
      latest.set(key, counted);
      for (const oldest of latest.keys()) if (latest.size > REMEMBERED) latest.delete(oldest);
      if (counted.times <= FREE.times) return null;
      const isNews = counted.slowed === undefined;
      counted.slowed = afterError(counted.slowed, '', now, DELAYS);
      return { until: counted.slowed.until, isNews };
    },
  };
}

/** The text of commands without the versions and instants in them, by which repetitions are found. */
function comparableText(commands: readonly object[]): string {
  return JSON.stringify(commands, (field, value: unknown) => {
    if (VOLATILE.has(field)) return undefined;
    return Array.isArray(value) && value.length > LONG ? [value.length, value[0] as unknown] : value;
  });
}
