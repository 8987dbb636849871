import type { Log } from '../adapters/log.ts';
import type { Marks } from './marks.ts';

export interface OutOfStepDependencies<R> {
  marks: Marks;
  /** The partitions of this dispatcher. */
  partitions: () => Iterable<number>;
  partitionOf: (key: string) => number;
  /** Running workflows; the id is the key of the Job. */
  running: () => AsyncIterable<R>;
  /** Replaces a run by one that recalls its state from the ledger. */
  restart: (run: R) => Promise<void>;
  log: Log;
}

/** Runs that are replaced at the same time. */
const AT_ONCE = 20;

/**
 * When Temporal was restored from a copy that is older than the ledger, its runs lack what came since, and nothing would
 * bring it to them. When Kafka was, they remember what is lost. All are replaced by runs that recall the ledger, also those
 * of Jobs that have ended since.
 */
export async function recallOutOfStep<R extends { id: string }>({
  marks,
  partitions,
  partitionOf,
  running,
  restart,
  log,
}: OutOfStepDependencies<R>): Promise<void> {
  const found = await marks.outOfStep([...partitions()]);
  if (found.length === 0) return;
  const due: R[] = [];
  for await (const run of running()) if (found.includes(partitionOf(run.id))) due.push(run);
  log.warn(
    { partitions: found, runs: due.length },
    'Temporal and the ledger are out of step: one of them was lost or restored from an old copy; the Jobs are recalled from the ledger',
  );
  for (let at = 0; at < due.length; at += AT_ONCE)
    await Promise.all(due.slice(at, at + AT_ONCE).map(restart));
  await marks.restart(found);
}
