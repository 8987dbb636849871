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

/** The error for a process that ended before it replied: by a lack of memory, by a signal, or by itself. */
export class EndedProcessError extends JobledgerError {
  override readonly name = 'EndedProcessError';
}

/** Processes that fold. The processes start on demand, and are kept for a while. */
export interface Processes {
  /**
   * Asks a process that has no other question. When the signal is aborted, the process is ended.
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
  /** The environment variables of this process; a fold gets only a few of them. */
  environment: NodeJS.ProcessEnv;
  /** The largest heap of a process, in MiB; a process that needs more ends. */
  heapMib: number;
}

interface Fold {
  child: ChildProcess;
  /** Resolves when the process has ended and all its output was read. */
  ended: Promise<EndedProcessError | UnavailableError>;
  /** The timer that ends an idle process. */
  timer?: NodeJS.Timeout;
}

/** The time that an idle process is kept, in milliseconds. */
const IDLE_MS = 60_000;

/** Manages the processes that fold: starts them on demand, and ends idle processes. */
export function createProcesses(options: ProcessOptions): Processes {
  const running = new Set<Fold>();
  const idle = new Set<Fold>();
  let isClosed = false;
  const beginProcess = (): Fold => {
    const fold = startProcess(options);
    running.add(fold);
    void fold.ended.then((reason) => {
      running.delete(fold);
      takeFromIdle(fold);
      // A killed process was ended by this process on purpose.
      if (!fold.child.killed)
        options.log.warn({ error: errorMessage(reason) }, 'a process that folds streams has ended');
    });
    return fold;
  };
  /** Removes a process from the idle processes. */
  const takeFromIdle = (fold: Fold): Fold => {
    clearTimeout(fold.timer);
    idle.delete(fold);
    return fold;
  };
  /** Keeps a process for the next question, for a limited time. */
  const keepIdle = (fold: Fold): void => {
    idle.add(fold);
    fold.timer = setTimeout(() => endProcess(fold), IDLE_MS).unref();
  };
  const endProcess = (fold: Fold): void => void takeFromIdle(fold).child.kill('SIGKILL');
  const ask: Processes['ask'] = async (question, signal) => {
    signal.throwIfAborted();
    if (isClosed) throw endingError();
    const [first] = idle;
    const fold = first === undefined ? beginProcess() : takeFromIdle(first);
    const abort = (): void => endProcess(fold);
    signal.addEventListener('abort', abort);
    try {
      const reply = await replyOf(fold, question);
      if (!signal.aborted && running.has(fold)) keepIdle(fold);
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
      for (const fold of running) endProcess(fold);
      await Promise.all([...running].map(({ ended }) => ended));
    },
  };
}

function endingError(): UnavailableError {
  return new UnavailableError('the API is ending');
}

/**
 * The environment variables that connections to Postgres need. Other variables of a service contain credentials that a
 * fold does not need.
 */
const PASSED_ON = /^(HOME|PG[A-Z]+|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_(FILE|DIR))$/;

/**
 * The young generation takes at most 24 MiB in addition to the limit for the old generation. Garbage collection runs in
 * the thread that folds, so it has the same low priority and takes no second core.
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
        resolve(new UnavailableError('no process that folds streams can start', { cause }));
      // Any other error means that a message could not be sent, because the process ends.
    });
    child.on('close', (status, signal) =>
      resolve(new EndedProcessError(`ended by ${signal ?? `itself, with status ${status}`}`)),
    );
  });
  const start: StartMessage = { parent: process.pid, settings };
  if (child.connected) child.send(start);
  return { child, ended };
}

/** The reply of a process to a question. @throws the reason why the process ended before it replied. */
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
