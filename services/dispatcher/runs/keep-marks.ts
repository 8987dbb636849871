import { errorMessage } from '../../adapters/errors.ts';
import type { Log } from '../../adapters/process/log.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import type { Assignments } from '../assignments/assignment.ts';
import type { Marks } from './marks.ts';

/**
 * The greatest age in milliseconds at which a restored copy of Temporal may go unnoticed; a restored copy of Kafka may
 * go unnoticed up to twice this age.
 */
const MARK_MS = 30_000;

/**
 * Renews the marks of the partitions in which something was dispatched, at intervals and when `signal` is aborted.
 * Calls `onOutOfStep` when the marks in Temporal and Kafka differ.
 */
export async function keepMarks(
  assignments: Assignments,
  {
    marks,
    onOutOfStep,
    log,
    signal,
  }: { marks: Marks; onOutOfStep: () => void; log: Log; signal: AbortSignal },
): Promise<void> {
  /** The positions at the last mark, by partition. */
  const marked = new Map<number, bigint>();
  do {
    await pause(MARK_MS, signal);
    const positions = [...assignments.values()]
      .map(({ partition, position }) => [partition, position.next()] as const)
      .filter(([partition, next]) => next !== marked.get(partition));
    try {
      const found = await marks.renew(positions.map(([partition]) => partition));
      for (const [partition, next] of positions) marked.set(partition, next);
      if (found.length > 0) onOutOfStep();
    } catch (error) {
      log.debug({ error: errorMessage(error) }, 'marks were not renewed; trying again');
    }
  } while (!signal.aborted);
}
