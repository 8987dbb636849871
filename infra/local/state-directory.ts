import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { InputError } from '../../services/adapters/errors.ts';
import { ownStamp, requireOwnStamp } from '../../services/contracts/stamp.ts';
import { tryLock } from '../processes/lock.ts';
import { keptText, textIn } from './files.ts';
import { lockFile, type StateOwner } from './state-owner.ts';

export interface StateDirectory {
  /** Absolute, with symbolic links resolved. */
  readonly dir: string;
  /** Joins a path below the directory. */
  readonly at: (...parts: string[]) => string;
  readonly release: () => void;
}

/** The folders of the servers' data. */
const DATA = ['postgres', 'kafka', 'temporal', 'cluster'];

/**
 * Creates the directory, accessible only to its owner, takes the lock, and stamps a new directory.
 * @throws InputError when a live process holds the lock, the directory cannot be created, or another unreleased version has begun it.
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
  try {
    requireOwnDirectory(dir);
  } catch (error) {
    attempt.release();
    throw error;
  }
  return { dir, at: (...parts) => path.join(dir, ...parts), release: attempt.release };
}

function requireOwnDirectory(dir: string): void {
  const isNew = DATA.every((name) => !existsSync(path.join(dir, name)));
  const file = path.join(dir, 'stamp');
  requireOwnStamp(`the state directory ${dir}`, isNew ? keptText(file, ownStamp) : (textIn(file) ?? null));
}

function makeDirectory(given: string): string {
  try {
    const created = mkdirSync(given, { recursive: true, mode: 0o700 });
    if (created !== undefined) chmodSync(given, 0o700);
    return closed(realpathSync(given));
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    throw new InputError(`cannot create the state directory ${given}; choose another --state-dir`, { cause });
  }
}

/**
 * It contains passwords and tokens. Access to a directory that others can enter is restricted, unless the directory may have
 * other uses too.
 */
function closed(dir: string): string {
  if ((statSync(dir).mode & 0o077) === 0) return dir;
  const files = readdirSync(dir);
  const isOurs = files.length === 0 || files.some((name) => name === 'servers.lock' || name === 'up.lock');
  if (!isOurs)
    throw new InputError(
      `others can enter the state directory ${dir}, which will contain passwords, and it contains other files; run "chmod 700 ${dir}", or choose another --state-dir`,
    );
  chmodSync(dir, 0o700);
  return dir;
}
