import { isRetryable } from '../adapters/errors.ts';
import type { Log } from '../adapters/process/log.ts';
import { logFailures, retry } from '../adapters/waiting/retry.ts';

export interface RetryPolicy {
  log: Log;
  /** Aborted when the process stops. */
  signal: AbortSignal;
  /** True when the caller does not need the result. */
  isStale: () => boolean;
  /** Called between two attempts. */
  between?: () => Promise<void>;
}

/** Retries work while a server is down, and logs the failures. Returns undefined when `isStale` returns true. */
export async function withRetries<T>(
  { log, signal, isStale, between }: RetryPolicy,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const isNeeded = (): boolean => !signal.aborted && !isStale();
  const logFailure = logFailures(log, 'the projector is waiting; its position is unchanged');
  let attempts = 0;
  const attempt = async (): Promise<T | undefined> => {
    attempts += 1;
    return isNeeded() ? work() : undefined;
  };
  try {
    const result = await retry(attempt, {
      signal,
      shouldRetry: isRetryable,
      onFailedAttempt: async (error, failures) => {
        logFailure(error, failures);
        await between?.();
      },
    });
    if (attempts > 1 && isNeeded()) log.info({ attempts }, 'the projector continues');
    return result;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
