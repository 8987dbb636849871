import { workerData } from 'node:worker_threads';
import type { PostgresConfig } from '../../adapters/config.ts';
import { UnavailableError } from '../../adapters/errors.ts';
import { silentLog } from '../../adapters/process/log.ts';
import { openDatabase } from '../../adapters/postgres/database.ts';
import { RefusedStatementError } from '../../adapters/postgres/failures.ts';
import { onSnapshot } from '../reads.ts';
import { answerTo } from './answer.ts';
import type { ThreadAnswer } from './folds.ts';
import type { FoldKind, FoldQuestion } from './questions.ts';
import { threadCpuMs } from './thread-time.ts';

/** The connection is the thread's own, so that streams are read and parsed here, and in no other thread's memory. */
const { postgres, statementTimeoutMs } = workerData as {
  postgres: PostgresConfig;
  statementTimeoutMs: number;
};
const database = openDatabase(postgres, silentLog(), {
  connections: 1,
  name: 'jobledger api fold',
  statementTimeoutMs,
});

/** Called by the pool (folds.ts) for each question. */
export async function answer(question: FoldQuestion): Promise<ThreadAnswer<FoldKind>> {
  const before = threadCpuMs();
  const given = await answered(question);
  return { ...given, cpuMs: threadCpuMs() - before };
}

type Answered<T> = T extends unknown ? Omit<T, 'cpuMs'> : never;

/** Errors lose their class between threads, so they are answers too. */
async function answered(question: FoldQuestion): Promise<Answered<ThreadAnswer<FoldKind>>> {
  try {
    return { answer: await onSnapshot(database, (run) => answerTo(run, question)) };
  } catch (error) {
    if (error instanceof UnavailableError) return { unavailable: error.message };
    if (error instanceof RefusedStatementError) return { refusedStatement: error.code };
    throw error;
  }
}
