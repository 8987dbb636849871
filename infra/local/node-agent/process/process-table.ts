import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * True when the process with this id is the attempt's wrapper. The command line of the wrapper contains the attempt's
 * directory, so a reused process id is not mistaken for it.
 */
export function isWrapper(pid: number, directory: string): boolean {
  return commandLine(pid).includes(directory);
}

function commandLine(pid: number): string {
  try {
    if (existsSync('/proc/self/cmdline')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
  } catch {
    return '';
  }
}

/** Sends a signal to a process, or to a group by its negative id; does nothing when the process is gone. */
export function sendSignal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
