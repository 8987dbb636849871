import type { Retry } from '../state.ts';

/** How long to wait after an error, in milliseconds; doubled with each further one. */
export interface RetryDelays {
  firstMs: number;
  longestMs: number;
}

/**
 * When a command was decided, in milliseconds. Timers run on the clock of decisions, so waits are computed from it, not
 * from the outcome's instant, which is the worker's clock; so no restart moves them.
 */
export function decidedAt({ last }: { last: { now: number } | null }): number {
  return last?.now ?? 0;
}

/** One error more since the API server last accepted such a command. */
export function afterError(
  before: Retry | undefined,
  message: string,
  decided: number,
  { firstMs, longestMs }: RetryDelays,
): Retry {
  const errors = (before?.errors ?? 0) + 1;
  return { errors, until: decided + Math.min(firstMs * 2 ** (errors - 1), longestMs), message };
}
