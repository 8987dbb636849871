import { errorMessage } from '../adapters/errors.ts';
import type { Subscription } from '../adapters/kafka/subscribe.ts';
import type { Log } from '../adapters/process/log.ts';
import { pause } from '../adapters/waiting/pause.ts';
import type { Consume } from './consume.ts';

const INTERVAL_MS = 5000;

/**
 * Postgres may lose its last transactions in a failover. A partition without new records would notice this only at
 * its next record, so the positions are compared regularly, and a partition is read again from an older position.
 */
export async function followPositions(
  { wentBack }: Pick<Consume, 'wentBack'>,
  { seek }: Pick<Subscription, 'seek'>,
  { log, signal, intervalMs = INTERVAL_MS }: { log: Log; signal: AbortSignal; intervalMs?: number },
): Promise<void> {
  while (!signal.aborted) {
    await pause(intervalMs, signal);
    try {
      // The next batch then fails because of the old position, and only that makes the projector forget it (consume.ts).
      for (const [partition, position] of await wentBack()) seek(partition, position);
    } catch (error) {
      log.debug({ error: errorMessage(error) }, 'the positions in Postgres cannot be compared');
    }
  }
}
