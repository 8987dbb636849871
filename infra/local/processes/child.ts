import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compiledProgram } from '../../../services/adapters/process/package-dir.ts';
import { processIdentity } from './identity.ts';
import { openLog } from './logs.ts';

/** The command line of a child process. */
export interface CommandLine {
  readonly file: string;
  readonly args: readonly string[];
  /** The complete environment of the process, which inherits no variable. */
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly cwd?: string;
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Opens an IPC channel, which closes in the child when this process dies. */
  readonly ipc?: boolean;
  /** The signal that requests a graceful stop. Default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
}

/** The command that runs a program of Jobledger as a separate process, from any working directory. */
export function nodeCommand(program: string): Pick<CommandLine, 'file' | 'args'> {
  return { file: process.execPath, args: [compiledProgram(program)] };
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The error when the program could not be started. */
  readonly error?: Error;
}

export interface RunningChild {
  readonly process: ChildProcess;
  readonly ended: Promise<Exit>;
  /** Sends the stop signal to the process. */
  readonly askToStop: () => void;
  /** Sends SIGKILL to the process only. */
  readonly kill: () => void;
  /** Sends SIGKILL to the whole process group. */
  readonly destroy: () => void;
}

/**
 * Starts a process as the leader of its own process group, so that Ctrl-C in the terminal reaches only the supervisor.
 * `<runDir>/<name>.json` contains the identity of the process while it runs, so that the next start can end it if this
 * program was killed.
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

/** Sends SIGKILL to a process group that this program, or an earlier killed run, has started. */
export function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // The group has no processes left.
  }
}

export function describeExit(exit: Exit): string {
  if (exit.error !== undefined) return `could not be started: ${exit.error.message}`;
  return exit.signal === null ? `exit status ${exit.code}` : exit.signal;
}

const INHERITED = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'JAVA_HOME',
  'XDG_CACHE_HOME',
  'GOGC',
];

/**
 * The environment of a server: the variables that any program needs, without the credentials in the environment of this
 * process.
 */
export function plainEnvironment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const given = INHERITED.map((name) => [name, process.env[name]]).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...more };
}
