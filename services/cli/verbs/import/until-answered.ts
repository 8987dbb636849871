import { setTimeout as delay } from 'node:timers/promises';
import { UnavailableError } from '../../../adapters/errors.ts';

const RETRY_MS = 200;

/**
 * Asks again while a part does not answer: of a topic that was made just now, brokers say for a moment that they do not
 * lead it. @throws UnavailableError, the last one, when `signal` ends the wait.
 */
export async function untilAnswered<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof UnavailableError) || signal.aborted) throw error;
    }
    await delay(RETRY_MS);
  }
}
