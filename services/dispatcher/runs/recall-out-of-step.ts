import type { Log } from '../../adapters/process/log.ts';
import type { Assignment } from '../assignments/assignment.ts';
import type { Marks } from './marks.ts';

export interface OutOfStepDependencies<R> {
  marks: Marks;
  /** The partitions of this dispatcher. */
  partitions: () => Iterable<number>;
  /** The partitions that began without an offset, until their runs have recalled the skipped facts. */
  begunAnew: () => readonly Pick<Assignment, 'partition' | 'isRecallDue'>[];
  choosePartition: (key: string) => number;
  /** The running workflows; the id of a workflow is the key of its Job. */
  running: () => AsyncIterable<R>;
  /** Replaces a run by a run that recalls its state from the ledger. */
  restart: (run: R) => Promise<void>;
  log: Log;
}

/** The number of runs that are replaced at the same time. */
const AT_ONCE = 20;

const OUT_OF_STEP =
  'Temporal and the ledger are out of step: one of them was lost or restored from an old copy; the Jobs are recalled from the ledger';
const BEGUN_ANEW =
  'the consumer group has no offset in these partitions, for example because no dispatcher ran for longer than Kafka keeps offsets: the Jobs are recalled from the ledger';

/**
 * Replaces runs that do not match the ledger. If Temporal was restored from a copy older than the ledger, its runs lack
 * the later facts, and nothing would deliver these facts. If Kafka was restored, the runs remember facts that are lost.
 * If a partition began without an offset, facts were skipped. In each of these cases, runs that recall the ledger
 * replace all runs, including the runs of Jobs that have ended in the meantime.
 */
export async function recallOutOfStep<R extends { id: string }>({
  marks,
  partitions,
  begunAnew,
  choosePartition,
  running,
  restart,
  log,
}: OutOfStepDependencies<R>): Promise<void> {
  const anew = begunAnew();
  const outOfStep = await marks.outOfStep([...partitions()]);
  const found = new Set([...outOfStep, ...anew.map(({ partition }) => partition)]);
  if (found.size === 0) return;
  const due: R[] = [];
  for await (const run of running()) if (found.has(choosePartition(run.id))) due.push(run);
  if (outOfStep.length > 0) log.warn({ partitions: outOfStep, runs: due.length }, OUT_OF_STEP);
  else log.info({ partitions: [...found], runs: due.length }, BEGUN_ANEW);
  for (let at = 0; at < due.length; at += AT_ONCE)
    await Promise.all(due.slice(at, at + AT_ONCE).map(restart));
  await marks.restart(outOfStep);
  for (const each of anew) each.isRecallDue = false;
}
