import { execFileSync } from 'node:child_process';

/** The cores of both halves of a measurement, as `taskset --cpu-list` takes them. */
export const CORES = { controlPlane: '0', controller: '1' } as const;

/**
 * Runs `start` with this process on the cores, and then brings it back to those of the control plane: a process keeps the
 * cores of the one that started it, so all that `start` starts stays there.
 */
export async function startedOn<T>(cores: string, pinned: boolean, start: () => Promise<T>): Promise<T> {
  if (!pinned) return start();
  moveTo(cores);
  try {
    return await start();
  } finally {
    moveTo(CORES.controlPlane);
  }
}

function moveTo(cores: string): void {
  try {
    execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', cores, String(process.pid)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (cause) {
    throw new Error('taskset cannot pin processes to cores 0 and 1; use --unpinned', { cause });
  }
}
