import { errorMessage } from '../adapters/errors.ts';
import type { Subscription } from '../adapters/kafka/subscription.ts';
import type { Log } from '../adapters/process/log.ts';
import { pause } from '../adapters/waiting/pause.ts';
import type { Consume } from './consume.ts';

const INTERVAL_MS = 5000;

/**
 * Compares the positions at intervals, and reads a partition again from an older position. Postgres may lose its last
 * transactions in a failover, and without this comparison, the projector would notice the loss in a partition only at
 * the next record.
 */
export async function followPositions(
  { wentBack }: Pick<Consume, 'wentBack'>,
  { seek }: Pick<Subscription, 'seek'>,
  { log, signal, intervalMs = INTERVAL_MS }: { log: Log; signal: AbortSignal; intervalMs?: number },
): Promise<void> {
  while (!signal.aborted) {
    await pause(intervalMs, signal);
    try {
      // The next batch then fails because the known position is too high, and this failure makes the projector forget
      // the known position (consume.ts).
      for (const [partition, position] of await wentBack()) seek(partition, position);
    } catch (error) {
      log.debug({ error: errorMessage(error) }, 'the positions in Postgres cannot be compared');
    }
  }
}
