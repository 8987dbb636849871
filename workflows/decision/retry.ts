/**
 * Consecutive API errors of one kind of command, and the instant until which that kind is held back, in milliseconds
 * (J-3.2).
 */
export interface Retry {
  errors: number;
  until: number;
  message: string;
}

/** The retry state of a kind of command without an error: nothing is held back. */
export const NO_ERRORS: Retry = { errors: 0, until: 0, message: '' };

/** The time to wait after an error, in milliseconds, which doubles with each further error. */
export interface RetryDelays {
  firstMs: number;
  longestMs: number;
}

/**
 * The time when a command was decided, in milliseconds. Timers use the clock of decisions, so waits are computed from
 * this time, and not from the instant of the outcome, which comes from the clock of the worker; a restart therefore
 * does not change a wait.
 */
export function decidedAt({ last }: { last: { now: number } | null }): number {
  return last?.now ?? 0;
}

/**
 * The retry state after an error: the number of errors since the API server last accepted such a command, and the
 * delay.
 */
export function afterError(
  before: Retry | undefined,
  message: string,
  decided: number,
  { firstMs, longestMs }: RetryDelays,
): Retry {
  const errors = (before?.errors ?? 0) + 1;
  return { errors, until: decided + Math.min(firstMs * 2 ** (errors - 1), longestMs), message };
}
