import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Supervisor } from '../../infra/local/processes/supervisor.ts';

/** Sends SIGKILL to a process of the supervisor, which does not start it again. */
export async function killForGood(
  { halt, pid }: Pick<Supervisor, 'halt' | 'pid'>,
  name: string,
): Promise<void> {
  const running = pid(name);
  const halted = halt(name);
  if (running !== undefined) process.kill(running, 'SIGKILL');
  await halted;
}

/** Stops a process and its children, such as the sessions of Postgres, with SIGSTOP, and continues them after a while. */
export async function freeze(pid: number, ms: number): Promise<void> {
  const all = [pid, ...childProcesses(pid)];
  signal(all, 'SIGSTOP');
  try {
    await delay(ms);
  } finally {
    signal(all, 'SIGCONT');
  }
}

function signal(pids: readonly number[], name: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pids)
    try {
      process.kill(pid, name);
    } catch {
      // It has ended.
    }
}

/** None except on Linux. */
function childProcesses(parent: number): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => parentProcess(pid) === parent);
}

function parentProcess(pid: number): number | undefined {
  try {
    // The name before it is in parentheses and may contain anything.
    const [, state] = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return Number(state?.split(' ')[1]);
  } catch {
    return undefined;
  }
}
