import { Piscina } from 'piscina';
import { whoIs } from '../access/caller.ts';
import { createLimit } from '../../adapters/http/limits.ts';
import { ProblemError } from '../../adapters/http/problem.ts';
import { JobledgerError, errorMessage, UnavailableError } from '../../adapters/errors.ts';
import type { Log } from '../../adapters/process/log.ts';
import { compiledProgram } from '../../adapters/process/package-dir.ts';
import { RefusedStatementError } from '../../adapters/postgres/failures.ts';
import type { ReadRequest } from '../reads.ts';
import { createFairTurns } from '../fair-turns.ts';
import type { FoldAnswer, FoldKind, FoldQuestion } from './questions.ts';

/** Folds streams for requests, outside the thread that serves them. */
export interface Folds {
  /** @throws ProblemError if it takes too much, or the caller has used up its share. */
  ask: <K extends FoldKind>(
    request: Pick<ReadRequest, 'caller' | 'raw'>,
    question: FoldQuestion<K>,
  ) => Promise<FoldAnswer<K>>;
  /** The longest time for a question, in milliseconds: the wait for its turn and the fold. */
  longestMs: number;
}

/** The answer of a thread, with its CPU time. */
export type ThreadAnswer<K extends FoldKind> = { cpuMs: number } & (
  | { answer: FoldAnswer<K> }
  | { unavailable: string }
  | { refusedStatement: string }
);

export interface FoldOptions {
  log: Log;
  /** Given to each thread as its `workerData`. */
  workerData: unknown;
  /** Milliseconds after which a fold is ended. A thread uses one core at most, so this limits its CPU time too. */
  budgetMs: number;
  /** Seconds of CPU time in a minute for each caller; 0: any number. */
  secondsPerMinute: number;
  /** A thread that needs more memory than this is ended. */
  threadMib?: number;
  /** JavaScript that exports `answer`. */
  program?: string;
  /** A signal that is aborted after this many milliseconds. */
  after?: (ms: number) => AbortSignal;
}

const THREADS = 2;
const THREAD_MIB = 320;
/** The most questions of one caller that wait while another of its questions is folded. */
const WAITING_OF_CALLER = 8;
/** The longest wait for a turn, in milliseconds. */
const WAIT_MS = 10_000;
/** The CPU cost of replacing an ended thread, in milliseconds. */
const RESTART_MS = 500;
/** How long an idle thread is kept, in milliseconds. */
const IDLE_MS = 60_000;
const BESIDES_MS = 10_000;
/** Folds have a lower priority than serving requests. */
const NICE = 10;
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

/** A pool of threads that start when they are needed. */
export function createFolds({
  log,
  workerData,
  budgetMs,
  secondsPerMinute,
  threadMib = THREAD_MIB,
  program,
  after = (ms) => AbortSignal.timeout(ms),
}: FoldOptions): {
  folds: Folds;
  close: () => Promise<void>;
} {
  const pool = new Piscina({
    filename: program ?? compiledProgram('services/api/folds/thread.ts'),
    name: 'answer',
    workerData,
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: IDLE_MS,
    // A thread that waits by Atomics would not notice that its connection to Postgres was closed.
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: threadMib },
    niceIncrement: NICE,
  });
  // A thread may also end between two questions, such as out of memory after one that was given up. The pool replaces it.
  pool.on('error', (error: unknown) =>
    log.warn({ error: errorMessage(error) }, 'a thread that folds has ended'),
  );
  const turns = createFairTurns({ most: THREADS, mostOfCaller: 1, mostWaiting: WAITING_OF_CALLER });
  const share = createLimit({
    points: secondsPerMinute * 1000,
    message: `the answers for you took more than ${secondsPerMinute} s of computing in a minute`,
  });
  const ask: Folds['ask'] = async ({ caller, raw: { socket } }, question) => {
    const who = whoIs(caller);
    await share.require(who);
    const left = new AbortController();
    const leave = (): void => left.abort();
    socket.once('close', leave);
    try {
      const over = AbortSignal.any([left.signal, after(WAIT_MS)]);
      return await turns(who, over, async () => {
        await share.require(who);
        const started = performance.now();
        const tooLate = after(budgetMs);
        const signal = AbortSignal.any([left.signal, tooLate]);
        // An ended thread cannot report its CPU time.
        let cost = (): number => performance.now() - started + RESTART_MS;
        try {
          const given = (await pool.run(question, { signal })) as ThreadAnswer<typeof question.kind>;
          cost = () => given.cpuMs;
          return answerIn(given) as never;
        } catch (error) {
          throw tooLate.aborted || isOutOfMemory(error) ? tooMuch(budgetMs, threadMib) : failure(error);
        } finally {
          await share.charge(who, cost());
        }
      });
    } finally {
      socket.off('close', leave);
    }
  };
  return { folds: { ask, longestMs: WAIT_MS + budgetMs }, close: () => pool.destroy() };
}

/** The `handlerTimeout` of a route that folds, in milliseconds, with time to read and to send. */
export function foldTimeout({ longestMs }: Folds): number {
  return longestMs + BESIDES_MS;
}

function answerIn<K extends FoldKind>(given: ThreadAnswer<K>): FoldAnswer<K> {
  if ('unavailable' in given) throw new UnavailableError(given.unavailable);
  if ('refusedStatement' in given)
    throw new RefusedStatementError(given.refusedStatement, new Error('in a thread that folds'));
  return given.answer;
}

function isOutOfMemory(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === OUT_OF_MEMORY;
}

function tooMuch(budgetMs: number, threadMib: number): ProblemError {
  return new ProblemError(
    'too-long',
    `the response takes more than ${budgetMs / 1000} s, or ${threadMib} MiB of memory; use the jobledger command instead`,
  );
}

function failure(cause: unknown): unknown {
  return cause instanceof JobledgerError ? cause : new JobledgerError('a fold failed', { cause });
}
