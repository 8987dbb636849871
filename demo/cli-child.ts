import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PACKAGE_DIR } from '../services/adapters/process/package-dir.ts';
import { JobledgerError } from '../services/adapters/errors.ts';
import { INTERRUPTED } from '../cli/stop-request.ts';
import { withoutAddresses } from './environment.ts';

const STOP_WITHIN_MS = 20_000;

/** `jobledger up` as a child of this process. */
export interface UpChild {
  /** Resolves with the line "jobledger is ready …" when every service is ready. */
  readonly ready: Promise<string>;
  /** Rejects when the process ends, expectedly or not. */
  readonly ended: Promise<never>;
  /** Stops the process with SIGTERM. @throws JobledgerError when it exits with an error or not within 20 s. */
  stop(): Promise<void>;
}

/** Starts `jobledger up`; its progress and errors appear on this process's standard error. */
export function startUp(stateDir: string): UpChild {
  const child = startCli(['up', '--state-dir', stateDir], ['ignore', 'pipe', 'inherit']);
  const exit = waitForExit(child);
  const ended = exit.then((how) => {
    throw new JobledgerError(`"jobledger up" ended unexpectedly (${how}); its messages are shown above`);
  });
  ended.catch(() => undefined);
  return {
    ready: Promise.race([waitForLine(child, 'jobledger is ready'), ended]),
    ended,
    stop: () => stopChild(child, exit),
  };
}

/**
 * Runs one CLI verb to its end; the verb's output appears on the output of this process. @throws JobledgerError when it
 * fails.
 */
export async function runVerb(args: readonly string[], signal: AbortSignal): Promise<void> {
  const child = startCli(args, ['ignore', 'inherit', 'inherit']);
  const interrupt = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', interrupt, { once: true });
  const how = await waitForExit(child);
  signal.removeEventListener('abort', interrupt);
  if (how !== DONE) throw new JobledgerError(`"jobledger ${args.join(' ')}" failed (${how})`);
}

function startCli(args: readonly string[], stdio: StdioOptions): ChildProcess {
  const program = path.join(PACKAGE_DIR, 'cli', 'jobledger.mjs');
  return spawn(process.execPath, [program, ...args], { env: withoutAddresses(process.env), stdio });
}

const DONE = 'exit status 0';
/**
 * Ctrl-C in a terminal also interrupts `up`. `up` handles these signals before it starts any server, so an `up` that
 * they end has started nothing.
 */
const STOPPED = [DONE, `exit status ${INTERRUPTED}`, 'SIGTERM', 'SIGINT'];

function waitForExit(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal ?? `exit status ${code}`));
  });
}

function waitForLine(child: ChildProcess, start: string): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      const line = text.split('\n').find((each, at, all) => each.startsWith(start) && at < all.length - 1);
      if (line !== undefined) resolve(line);
    });
  });
}

async function stopChild(child: ChildProcess, exit: Promise<string>): Promise<void> {
  child.kill('SIGTERM');
  const inTime = new AbortController();
  const late = delay(STOP_WITHIN_MS, 'late' as const, { signal: inTime.signal }).catch(() => 'late' as const);
  const how = await Promise.race([exit, late]);
  inTime.abort();
  if (how === 'late') {
    child.kill('SIGKILL');
    throw new JobledgerError('"jobledger up" did not stop and was killed');
  }
  if (!STOPPED.includes(how)) throw new JobledgerError(`"jobledger up" did not stop cleanly (${how})`);
}
