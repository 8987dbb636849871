import { InputError, errorMessage } from '../errors.ts';
import type { Log } from '../process/log.ts';
import { pause } from './pause.ts';

/** The first and the longest wait between two attempts, in milliseconds. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

export interface RetryOptions {
  /** Ends the retries. */
  signal: AbortSignal;
  backoff?: Backoff | ((error: unknown) => Backoff);
  /** True when a retry may help. By default, every error except an InputError is retried. */
  shouldRetry?: (error: unknown) => boolean;
  /** Receives the error and the number of failures in a row before each wait. An exception ends the retries. */
  onFailedAttempt?: (error: unknown, failures: number) => void | Promise<void>;
}

const BACKOFF: Backoff = { firstMs: 200, longestMs: 2000 };
/** The number of failures in a row for each logged warning. */
const REMIND_EVERY = 10;

/**
 * Repeats `attempt` until it succeeds. The waits grow exponentially, until `attempt` calls `reset`.
 * @throws the error of the last attempt, if a retry cannot help or `signal` is aborted.
 */
export async function retry<T>(
  attempt: (reset: () => void) => Promise<T>,
  { signal, backoff = BACKOFF, shouldRetry = isNoInputError, onFailedAttempt }: RetryOptions,
): Promise<T> {
  let failures = 0;
  const reset = (): void => void (failures = 0);
  for (;;) {
    try {
      return await attempt(reset);
    } catch (error) {
      if (signal.aborted || !shouldRetry(error)) throw error;
      failures += 1;
      await onFailedAttempt?.(error, failures);
      const limits = typeof backoff === 'function' ? backoff(error) : backoff;
      await pause(backoffMs(failures, limits), signal);
      if (signal.aborted) throw error;
    }
  }
}

/** Retries until a server answers, and logs that it waits. @throws InputError at once. */
export function retryUntilAvailable<T>(
  server: string,
  { log, signal }: { log: Log; signal: AbortSignal },
  attempt: () => Promise<T>,
): Promise<T> {
  const onFailedAttempt = logFailures(log, `${server} does not answer; waiting for it`);
  return retry(attempt, { signal, onFailedAttempt });
}

/** Logs failed attempts: the first and then every tenth as a warning, the other attempts for debugging. */
export function logFailures(
  log: Log,
  message: string,
  context: Record<string, unknown> = {},
): (error: unknown, failures: number) => void {
  return (error, failures) =>
    log[failures % REMIND_EVERY === 1 ? 'warn' : 'debug'](
      { ...context, error: errorMessage(error) },
      message,
    );
}

/** The wait after a number of failures in a row. Half of the wait is random, so that processes do not retry at the same time. */
export function backoffMs(failures: number, { firstMs, longestMs }: Backoff = BACKOFF): number {
  const wait = Math.min(firstMs * 2 ** (failures - 1), longestMs);
  return wait / 2 + (Math.random() * wait) / 2;
}

function isNoInputError(error: unknown): boolean {
  return !(error instanceof InputError);
}
