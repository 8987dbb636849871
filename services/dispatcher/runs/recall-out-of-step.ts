import type { Log } from '../../adapters/process/log.ts';
import type { Assignment } from '../assignments/assignment.ts';
import type { Marks } from './marks.ts';

export interface OutOfStepDependencies<R> {
  marks: Marks;
  /** The partitions of this dispatcher. */
  partitions: () => Iterable<number>;
  /** Those of them that began without an offset, until their runs have recalled what was passed over. */
  begunAnew: () => readonly Pick<Assignment, 'partition' | 'isRecallDue'>[];
  partitionOf: (key: string) => number;
  /** Running workflows; the id is the key of the Job. */
  running: () => AsyncIterable<R>;
  /** Replaces a run by one that recalls its state from the ledger. */
  restart: (run: R) => Promise<void>;
  log: Log;
}

/** Runs that are replaced at the same time. */
const AT_ONCE = 20;

const OUT_OF_STEP =
  'Temporal and the ledger are out of step: one of them was lost or restored from an old copy; the Jobs are recalled from the ledger';
const BEGUN_ANEW =
  'the consumer group has no offset in these partitions, as when no dispatcher ran for longer than Kafka keeps them: the Jobs are recalled from the ledger';

/**
 * When Temporal was restored from a copy that is older than the ledger, its runs lack what came since, and nothing would
 * bring it to them. When Kafka was, they remember what is lost. And where a partition began without an offset, facts were passed
 * over. All are replaced by runs that recall the ledger, also those of Jobs that have ended since.
 */
export async function recallOutOfStep<R extends { id: string }>({
  marks,
  partitions,
  begunAnew,
  partitionOf,
  running,
  restart,
  log,
}: OutOfStepDependencies<R>): Promise<void> {
  const anew = begunAnew();
  const outOfStep = await marks.outOfStep([...partitions()]);
  const found = new Set([...outOfStep, ...anew.map(({ partition }) => partition)]);
  if (found.size === 0) return;
  const due: R[] = [];
  for await (const run of running()) if (found.has(partitionOf(run.id))) due.push(run);
  if (outOfStep.length > 0) log.warn({ partitions: outOfStep, runs: due.length }, OUT_OF_STEP);
  else log.info({ partitions: [...found], runs: due.length }, BEGUN_ANEW);
  for (let at = 0; at < due.length; at += AT_ONCE)
    await Promise.all(due.slice(at, at + AT_ONCE).map(restart));
  await marks.restart(outOfStep);
  for (const each of anew) each.isRecallDue = false;
}
