import { whoIs } from '../access/caller.ts';
import { createLimit } from '../../adapters/http/limits.ts';
import { ProblemError } from '../../adapters/http/problem.ts';
import { JobledgerError, UnavailableError } from '../../adapters/errors.ts';
import { compiledProgram } from '../../adapters/process/package-dir.ts';
import { RefusedStatementError } from '../../adapters/postgres/failures.ts';
import type { ReadRequest } from '../reads.ts';
import { createFairTurns } from '../fair-turns.ts';
import { createProcesses, EndedProcessError, type ProcessOptions } from './processes.ts';
import type { FoldAnswer, FoldKind, FoldQuestion, FoldReply } from './questions.ts';

/** Folds streams for requests, outside the process that serves the requests. */
export interface Folds {
  /**
   * Asks a question about streams.
   * @throws ProblemError if the fold takes too much time or memory, or the caller has used up its share.
   */
  ask: <K extends FoldKind>(
    request: Pick<ReadRequest, 'caller' | 'raw'>,
    question: FoldQuestion<K>,
  ) => Promise<FoldAnswer<K>>;
  /** The longest time for a question, in milliseconds: the wait for its turn and the fold. */
  longestMs: number;
}

export interface FoldOptions extends Pick<ProcessOptions, 'log' | 'environment' | 'settings'> {
  /**
   * The time in milliseconds after which a fold is ended. A fold uses one core at most, so this time also limits its CPU time.
   */
  budgetMs: number;
  /** The seconds of CPU time in a minute for each caller; 0 means no limit. */
  secondsPerMinute: number;
  heapMib?: number;
  program?: string;
  /** Creates a signal that is aborted after a number of milliseconds. */
  after?: (ms: number) => AbortSignal;
}

/** The maximum number of processes. */
const PROCESSES = 2;
const HEAP_MIB = 320;
/** The maximum number of questions of one caller that wait while another of its questions is answered. */
const WAITING_OF_CALLER = 8;
/** The longest wait for a turn, in milliseconds. */
const WAIT_MS = 10_000;
/** The CPU cost of replacing an ended process, in milliseconds. */
const RESTART_MS = 500;
const BESIDES_MS = 10_000;

/** Distributes questions about streams over processes, fairly and within the budget of each caller. */
export function createFolds({
  budgetMs,
  secondsPerMinute,
  heapMib = HEAP_MIB,
  program = compiledProgram('services/api/folds/main.ts'),
  after = (ms) => AbortSignal.timeout(ms),
  ...others
}: FoldOptions): {
  folds: Folds;
  close: () => Promise<void>;
} {
  const processes = createProcesses({ ...others, program, heapMib });
  const turns = createFairTurns({ most: PROCESSES, mostOfCaller: 1, mostWaiting: WAITING_OF_CALLER });
  const share = createLimit({
    points: secondsPerMinute * 1000,
    message: `the answers to your questions took more than ${secondsPerMinute} s of computing in a minute`,
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
        // The CPU time of the question; an estimate if the process has ended, because it cannot report its CPU time.
        let cost = (): number => performance.now() - started + RESTART_MS;
        try {
          const reply = await processes.ask(question, signal);
          cost = () => reply.cpuMs;
          return answerIn(reply);
        } catch (error) {
          throw tooLate.aborted || error instanceof EndedProcessError
            ? tooMuchProblem(budgetMs, heapMib)
            : foldError(error);
        } finally {
          await share.charge(who, cost());
        }
      });
    } finally {
      socket.off('close', leave);
    }
  };
  return { folds: { ask, longestMs: WAIT_MS + budgetMs }, close: processes.close };
}

/** The `handlerTimeout` of a route that folds, in milliseconds, with time to read and to send. */
export function foldTimeout({ longestMs }: Folds): number {
  return longestMs + BESIDES_MS;
}

function answerIn<Answer>(reply: FoldReply<Answer>): Answer {
  if ('answer' in reply) return reply.answer;
  if ('unavailable' in reply) throw new UnavailableError(reply.unavailable);
  if ('refusedStatement' in reply)
    throw new RefusedStatementError(
      reply.refusedStatement,
      new Error('the statement failed in a process that folds streams'),
    );
  throw new Error(reply.failed);
}

function tooMuchProblem(budgetMs: number, heapMib: number): ProblemError {
  return new ProblemError(
    'too-long',
    `the response takes more than ${budgetMs / 1000} s, or ${heapMib} MiB of memory; use the jobledger command instead`,
  );
}

function foldError(cause: unknown): unknown {
  return cause instanceof JobledgerError ? cause : new JobledgerError('a fold failed', { cause });
}
