import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { KafkaConfig, PostgresConfig } from '../../adapters/config.ts';
import { JobledgerError, errorMessage } from '../../adapters/errors.ts';
import { compiledProgram } from '../../adapters/process/package-dir.ts';
import type { Offsets } from '../../adapters/kafka/scan.ts';
import type { RebuildSelection } from './offset-range.ts';

/** The task of one thread. */
export interface ThreadTask {
  postgres: PostgresConfig;
  kafka: KafkaConfig;
  selection: RebuildSelection;
  /** The end of each partition that this thread folds. */
  to: Offsets;
}

/** Folds the ledger from its beginning in several threads, each with some of the partitions. */
export async function foldInThreads(
  { to, ...common }: ThreadTask,
  count: number,
  onProgress: (records: number) => void,
): Promise<void> {
  const threads = divideIntoTasks(to, count).map((task) => startThread({ ...common, to: task }, onProgress));
  try {
    await Promise.all(threads.map(waitForThread));
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

/** Divides partitions into tasks with about the same number of records; no task is empty. */
export function divideIntoTasks(to: Offsets, count: number): Offsets[] {
  const threads = Array.from({ length: count }, () => ({ to: new Map<number, bigint>(), records: 0n }));
  for (const [partition, end] of [...to].toSorted(([, a], [, b]) => Number(b - a))) {
    const [least] = threads.toSorted((a, b) => Number(a.records - b.records));
    if (least === undefined || end === 0n) continue;
    least.to.set(partition, end);
    least.records += end;
  }
  return threads.filter(({ records }) => records > 0n).map((task) => task.to);
}

function startThread(task: ThreadTask, onProgress: (records: number) => void): Worker {
  const thread = new Worker(compiledProgram('services/projector/rebuild/thread.ts'), { workerData: task });
  thread.on('message', onProgress);
  return thread;
}

/** Resolves when the thread has finished. @throws JobledgerError with the thread's error. */
async function waitForThread(thread: Worker): Promise<void> {
  try {
    const [code] = (await once(thread, 'exit')) as [number];
    if (code !== 0) throw new Error(`exit status ${code}`);
  } catch (error) {
    throw new JobledgerError(`a thread could not fold its partitions of the ledger: ${errorMessage(error)}`);
  }
}
