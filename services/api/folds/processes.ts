import { fork, type ChildProcess } from 'node:child_process';
import { errorMessage, JobledgerError, UnavailableError } from '../../adapters/errors.ts';
import type { Log } from '../../adapters/process/log.ts';
import type {
  FoldAnswer,
  FoldKind,
  FoldQuestion,
  FoldReply,
  FoldSettings,
  StartMessage,
} from './questions.ts';

/** A process ended before it replied: out of memory, by a signal, or by itself. */
export class EndedProcessError extends JobledgerError {
  override readonly name = 'EndedProcessError';
}

/** Processes that fold. The processes start on demand, and are kept for a while. */
export interface Processes {
  /**
   * Asks a process that has no other question. Ends it when the signal is aborted.
   * @throws EndedProcessError; UnavailableError when no process can start, and after `close`; the reason of the aborted signal.
   */
  ask: <K extends FoldKind>(
    question: FoldQuestion<K>,
    signal: AbortSignal,
  ) => Promise<FoldReply<FoldAnswer<K>>>;
  /** Ends all processes. */
  close: () => Promise<void>;
}

export interface ProcessOptions {
  log: Log;
  /** A program that calls `serveFolds`. */
  program: string;
  settings: FoldSettings;
  /** The variables of this process. Each caller gets only a few of the processes. */
  environment: NodeJS.ProcessEnv;
  /** A process whose heap needs more than this ends. */
  heapMib: number;
}

interface Fold {
  child: ChildProcess;
  /** Resolves when the process has ended and all its output was read. */
  ended: Promise<EndedProcessError | UnavailableError>;
  /** Ends the process when it was idle for long. */
  timer?: NodeJS.Timeout;
}

/** The time that an idle process is kept, in milliseconds. */
const IDLE_MS = 60_000;

export function createProcesses(options: ProcessOptions): Processes {
  const running = new Set<Fold>();
  const idle = new Set<Fold>();
  let isClosed = false;
  const begin = (): Fold => {
    const fold = startProcess(options);
    running.add(fold);
    void fold.ended.then((reason) => {
      running.delete(fold);
      take(fold);
      // The parent has otherwise killed the process.
      if (!fold.child.killed)
        options.log.warn({ error: errorMessage(reason) }, 'a process that folds has ended');
    });
    return fold;
  };
  const take = (fold: Fold): Fold => {
    clearTimeout(fold.timer);
    idle.delete(fold);
    return fold;
  };
  const keep = (fold: Fold): void => {
    idle.add(fold);
    fold.timer = setTimeout(() => end(fold), IDLE_MS).unref();
  };
  const end = (fold: Fold): void => void take(fold).child.kill('SIGKILL');
  const ask: Processes['ask'] = async (question, signal) => {
    signal.throwIfAborted();
    if (isClosed) throw endingError();
    const [first] = idle;
    const fold = first === undefined ? begin() : take(first);
    const abort = (): void => end(fold);
    signal.addEventListener('abort', abort);
    try {
      const reply = await replyOf(fold, question);
      if (!signal.aborted && running.has(fold)) keep(fold);
      return reply;
    } catch (error) {
      signal.throwIfAborted();
      throw isClosed ? endingError() : error;
    } finally {
      signal.removeEventListener('abort', abort);
      // The next process starts when the memory of this process is free.
      if (signal.aborted) await fold.ended;
    }
  };
  return {
    ask,
    close: async () => {
      isClosed = true;
      for (const fold of running) end(fold);
      await Promise.all([...running].map(({ ended }) => ended));
    },
  };
}

function endingError(): UnavailableError {
  return new UnavailableError('the API is ending');
}

/**
 * The variables that connections to Postgres depend on. Other variables of a service hold credentials that a fold
 * does not need.
 */
const PASSED_ON = /^(HOME|PG[A-Z]+|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_(FILE|DIR))$/;

/**
 * The young generation takes 24 MiB at most, beside the limit for the old generation. Garbage collection in the
 * thread that folds has its low priority, and takes no second core.
 */
const SMALL = ['--max-semi-space-size=8', '--single-threaded-gc'];

function startProcess({ program, settings, environment, heapMib }: ProcessOptions): Fold {
  const child = fork(program, [], {
    // The options of this process are left out, because they may ask for reports or snapshots of the heap.
    execArgv: [`--max-old-space-size=${heapMib}`, ...SMALL],
    env: Object.fromEntries(Object.entries(environment).filter(([name]) => PASSED_ON.test(name))),
    serialization: 'advanced',
    // The output of V8 when it aborts could contain a text of a tenant.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = new Promise<EndedProcessError | UnavailableError>((resolve) => {
    child.on('error', (cause) => {
      if (child.pid === undefined)
        resolve(new UnavailableError('no process that folds can start', { cause }));
      // The message could otherwise not be sent, because the process ends.
    });
    child.on('close', (status, signal) =>
      resolve(new EndedProcessError(`ended by ${signal ?? `itself, with status ${status}`}`)),
    );
  });
  const start: StartMessage = { parent: process.pid, settings };
  if (child.connected) child.send(start);
  return { child, ended };
}

/** @throws the reason why the process ended before it replied. */
async function replyOf<K extends FoldKind>(
  { child, ended }: Fold,
  question: FoldQuestion<K>,
): Promise<FoldReply<FoldAnswer<K>>> {
  const replied = Promise.withResolvers<FoldReply<FoldAnswer<K>>>();
  child.once('message', (reply) => replied.resolve(reply as FoldReply<FoldAnswer<K>>));
  if (child.connected) child.send(question);
  const first = await Promise.race([replied.promise, ended]);
  if (first instanceof Error) throw first;
  return first;
}
