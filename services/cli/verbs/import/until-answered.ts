import { setTimeout as delay } from 'node:timers/promises';
import { UnavailableError } from '../../../adapters/errors.ts';

const RETRY_MS = 200;

/**
 * Retries while a part is unavailable: brokers of a topic that was just created briefly respond that they do not lead
 * it.
 * @throws UnavailableError, the last one, when `signal` ends the wait.
 */
export async function untilAnswered<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof UnavailableError) || signal.aborted) throw error;
    }
    await delay(RETRY_MS);
  }
}
