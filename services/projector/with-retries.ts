import { setTimeout as sleep } from 'node:timers/promises';
import { JobledgerError, messageOf } from '../adapters/errors.ts';
import type { Log } from '../adapters/log.ts';

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 2000;

export interface RetryPolicy {
  log: Log;
  /** True when nobody wants the result any more. */
  isStale: () => boolean;
  /** Called before each further attempt. */
  between?: () => Promise<void>;
}

/** Repeats work while a server is away; says so in the log. Undefined when nobody wants the result any more. */
export async function withRetries<T>(
  retryPolicy: RetryPolicy,
  work: () => Promise<T>,
): Promise<T | undefined> {
  for (let attempt = 0; !retryPolicy.isStale(); attempt += 1) {
    try {
      const result = await work();
      if (attempt > 0) retryPolicy.log.info({ attempts: attempt + 1 }, 'the projector goes on');
      return result;
    } catch (error) {
      if (!(error instanceof JobledgerError) || !error.retryable) throw error;
      retryPolicy.log[attempt % 10 === 0 ? 'warn' : 'debug'](
        { error: messageOf(error) },
        'the projector waits; its position stays',
      );
      await sleep(Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS));
      await retryPolicy.between?.();
    }
  }
  return undefined;
}
