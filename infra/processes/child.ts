import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { processIdentity } from './identity.ts';
import { openLog } from './logs.ts';

/** What to run. */
export interface CommandLine {
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly cwd?: string;
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Opens a channel to this process; the child sees it close when this process dies. */
  readonly ipc?: boolean;
  /** What asks it to stop. Default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Set when the program could not be started at all. */
  readonly error?: Error;
}

export interface RunningChild {
  readonly process: ChildProcess;
  readonly ended: Promise<Exit>;
  /** Asks the process to stop. */
  readonly askToStop: () => void;
  /** SIGKILL to the process alone. */
  readonly kill: () => void;
  /** Ends the process and all that it started in its group, at once. */
  readonly destroy: () => void;
}

/**
 * Starts a process at the head of its own process group, so that a Ctrl-C in the terminal reaches the supervisor
 * alone. Its identity stands in `<runDir>/<name>.json` while it lives, for the start after a kill -9 of ours.
 */
export function launch(
  name: string,
  command: CommandLine,
  at: { runDir: string; logFile: string },
): RunningChild {
  const log = openLog(at.logFile);
  const child = spawn(command.file, command.args, {
    detached: true,
    stdio: command.ipc === true ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
    env: command.env,
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    ...command.user,
  });
  closeSync(log);
  const stopSignal = command.stopSignal ?? 'SIGTERM';
  const pidFile = path.join(at.runDir, `${name}.json`);
  mkdirSync(at.runDir, { recursive: true });
  const identity = child.pid === undefined ? undefined : processIdentity(child.pid);
  if (identity !== undefined) writeFileSync(pidFile, JSON.stringify({ ...identity, stopSignal }));
  const destroy = (): void => killGroup(child.pid);
  const ended = new Promise<Exit>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  }).then((exit) => {
    destroy();
    rmSync(pidFile, { force: true });
    return exit;
  });
  return {
    process: child,
    ended,
    destroy,
    askToStop: () => void child.kill(stopSignal),
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Ends a process group that this program, or a killed run of it, has started. */
export function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // No member is left.
  }
}

export function describeExit(exit: Exit): string {
  if (exit.error !== undefined) return `could not be started: ${exit.error.message}`;
  return exit.signal === null ? `exit status ${exit.code}` : exit.signal;
}

const PASSED_ON = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'JAVA_HOME', 'XDG_CACHE_HOME'];

/** The environment of a server: what any program needs to run, not the credentials in our own. */
export function plainEnvironment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const given = PASSED_ON.map((name) => [name, process.env[name]]).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...more };
}
