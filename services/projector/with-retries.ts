import { setTimeout as sleep } from 'node:timers/promises';
import { JobledgerError, messageOf } from '../adapters/errors.ts';
import type { Log } from '../adapters/log.ts';

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 2000;

export interface RetryPolicy {
  log: Log;
  /** True when the result is no longer needed. */
  isStale: () => boolean;
  /** Called before each further attempt. */
  between?: () => Promise<void>;
}

/** Retries work while a server is down, and logs it. Returns undefined when the result is no longer needed. */
export async function withRetries<T>(
  retryPolicy: RetryPolicy,
  work: () => Promise<T>,
): Promise<T | undefined> {
  for (let attempt = 0; !retryPolicy.isStale(); attempt += 1) {
    try {
      const result = await work();
      if (attempt > 0) retryPolicy.log.info({ attempts: attempt + 1 }, 'the projector continues');
      return result;
    } catch (error) {
      if (!(error instanceof JobledgerError) || !error.retryable) throw error;
      retryPolicy.log[attempt % 10 === 0 ? 'warn' : 'debug'](
        { error: messageOf(error) },
        'the projector is waiting; its position is unchanged',
      );
      await sleep(Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS));
      await retryPolicy.between?.();
    }
  }
  return undefined;
}
