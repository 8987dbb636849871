import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { errorMessage, UnavailableError } from '../../adapters/errors.ts';
import { RefusedStatementError } from '../../adapters/postgres/failures.ts';
import type { FoldQuestion, FoldReply, FoldSettings, StartMessage } from './questions.ts';

type Answer = (question: FoldQuestion) => unknown;

/** Folds have a lower priority than the processing of requests. */
const NICE = 10;

/**
 * Makes this process answer the questions of its parent (processes.ts), one at a time. `open` gets the
 * parent's settings.
 */
export function serveFolds(open: (settings: FoldSettings) => Answer): void {
  setPriority(NICE);
  // If the machine lacks memory, the kernel ends this process, and not its parent.
  setForLinux('oom_score_adj', '1000');
  // A fold that runs out of memory aborts. A core dump would contain data of a tenant.
  setForLinux('coredump_filter', '0');
  // A terminal also sends its signals to the parent, which ends this process when its requests are finished.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit());
  process.once('message', (start) => {
    const { parent, settings } = start as StartMessage;
    endWithParent(parent);
    const answer = open(settings);
    process.on('message', (question) => void sendReply(answer, question as FoldQuestion));
  });
}

function setForLinux(file: string, value: string): void {
  try {
    writeFileSync(`/proc/self/${file}`, value, { flag: 'r+' });
  } catch {
    // Other systems have no such file.
  }
}

/** A fold does not pause, so its thread would notice an ended parent only after the fold. */
const WATCH_PARENT = `
  const { workerData: parent } = require('node:worker_threads');
  setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGKILL'), 1000);
`;

/** Ends this process within a second of the end of its parent. */
function endWithParent(parent: number): void {
  new Worker(WATCH_PARENT, { eval: true, workerData: parent }).unref();
}

/** Sends the answer with the CPU time that it took. */
async function sendReply(answer: Answer, question: FoldQuestion): Promise<void> {
  const before = process.cpuUsage();
  const given = await replyTo(answer, question);
  const { user, system } = process.cpuUsage(before);
  process.send?.({ ...given, cpuMs: (user + system) / 1000 });
}

type Given<T> = T extends unknown ? Omit<T, 'cpuMs'> : never;

/** The reply to a question. Errors lose their class between processes, so the reply contains them as values. */
async function replyTo(answer: Answer, question: FoldQuestion): Promise<Given<FoldReply<unknown>>> {
  try {
    return { answer: await answer(question) };
  } catch (error) {
    if (error instanceof UnavailableError) return { unavailable: error.message };
    if (error instanceof RefusedStatementError) return { refusedStatement: error.code };
    return { failed: errorMessage(error) };
  }
}
