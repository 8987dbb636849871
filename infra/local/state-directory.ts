import { chmodSync, mkdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { InputError } from '../../services/adapters/errors.ts';
import { liveHolder, tryLock } from '../processes/lock.ts';

/** Who can lock a state directory. `servers` and `up` have separate locks, so that `up` can run beside `servers`. */
export type StateOwner = 'servers' | 'up';

export interface StateDirectory {
  /** Absolute, with symbolic links resolved. */
  readonly dir: string;
  /** Joins a path below the directory. */
  readonly at: (...parts: string[]) => string;
  readonly release: () => void;
}

/**
 * Creates the directory, accessible only to its owner, and takes the lock.
 * @throws InputError when a live process holds the lock, or the directory cannot be created.
 */
export function openStateDirectory(given: string, owner: StateOwner, purpose: string): StateDirectory {
  const dir = makeDirectory(given);
  const attempt = tryLock(lockFile(dir, owner), purpose);
  if ('holder' in attempt) {
    const { pid, purpose: running, since } = attempt.holder;
    throw new InputError(
      `state directory ${dir} is in use: ${running} has been running there since ${since} (process ${pid}); stop it first, or choose another --state-dir`,
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
    throw new InputError(`cannot create the state directory ${given}; choose another --state-dir`, { cause });
  }
}
