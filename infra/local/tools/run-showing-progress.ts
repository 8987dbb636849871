import { spawn } from 'node:child_process';
import { JobledgerError } from '../../../services/adapters/errors.ts';
import type { Say } from './cache.ts';

const EVERY_MS = 10_000;
const KEPT_LINES = 15;

/** Describes the progress of a program, from the lines that it has written to standard error. */
type ShowProgress = (errorLines: number, elapsedMs: number) => string;

/**
 * Runs a program to its end, reports every 10 s that it is still running and its progress, and returns its standard
 * output.
 * @throws JobledgerError with the last 15 lines of its output when it fails.
 */
export async function runShowingProgress(
  task: string,
  command: { file: string; args: readonly string[]; cwd: string; env?: Record<string, string> },
  { report, signal, progress = () => '' }: { report: Say; signal: AbortSignal; progress?: ShowProgress },
): Promise<string> {
  const started = Date.now();
  let errorLines = 0;
  const timer = setInterval(() => {
    const elapsedMs = Date.now() - started;
    report(`${task} … ${Math.round(elapsedMs / 1000)} s${progress(errorLines, elapsedMs)}`);
  }, EVERY_MS);
  try {
    const { code, stdout, stderr } = await runWithOutput(command, signal, (lines) => (errorLines += lines));
    if (code === 0) return stdout;
    signal.throwIfAborted();
    const last = `${stdout}\n${stderr}`.trim().split('\n').slice(-KEPT_LINES).join('\n  ');
    throw new JobledgerError(`${task} failed (exit status ${code}):\n  ${last}`);
  } finally {
    clearInterval(timer);
  }
}

function runWithOutput(
  command: { file: string; args: readonly string[]; cwd: string; env?: Record<string, string> },
  signal: AbortSignal,
  onErrorLines: (count: number) => void,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(command.file, command.args, {
      cwd: command.cwd,
      env: { ...process.env, ...command.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    // Kills the whole process group, so that an interrupted build leaves no compilers running.
    const interrupt = (): void => void (child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'));
    signal.addEventListener('abort', interrupt, { once: true });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      onErrorLines(text.split('\n').length - 1);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      signal.removeEventListener('abort', interrupt);
      resolve({ code, stdout, stderr });
    });
  });
}
