import { chmodSync, mkdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { InputError } from '../../services/adapters/errors.ts';
import { liveHolder, tryLock } from '../processes/lock.ts';

/** Who may hold a state directory: embedded servers and `up` have a lock each, so that `up` can run beside `servers`. */
export type StateOwner = 'servers' | 'up';

export interface StateDirectory {
  /** Absolute, free of symbolic links. */
  readonly dir: string;
  /** A path below it. */
  readonly at: (...parts: string[]) => string;
  readonly release: () => void;
}

/**
 * Makes the directory, for its owner alone, and takes the lock.
 * @throws InputError when a live process has it.
 */
export function openStateDirectory(given: string, owner: StateOwner, purpose: string): StateDirectory {
  const dir = makeDirectory(given);
  const attempt = tryLock(lockFile(dir, owner), purpose);
  if ('holder' in attempt) {
    const { pid, purpose: running, since } = attempt.holder;
    throw new InputError(
      `state directory ${dir} is in use: ${running} runs there since ${since} (process ${pid}); stop it first, or give another --state-dir`,
    );
  }
  return { dir, at: (...parts) => path.join(dir, ...parts), release: attempt.release };
}

/** Whether a live process holds the state directory as this owner. */
export function isOwnerRunning(dir: string, owner: StateOwner): boolean {
  return liveHolder(lockFile(dir, owner)) !== undefined;
}

function lockFile(dir: string, owner: StateOwner): string {
  return path.join(dir, `${owner}.lock`);
}

function makeDirectory(given: string): string {
  try {
    const created = mkdirSync(given, { recursive: true, mode: 0o700 });
    if (created !== undefined) chmodSync(given, 0o700);
    return realpathSync(given);
  } catch (cause) {
    throw new InputError(`state directory ${given} cannot be made; give another --state-dir`, { cause });
  }
}
