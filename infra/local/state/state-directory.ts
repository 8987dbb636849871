import { chmodSync, existsSync, readdirSync, realpathSync, rmSync, rmdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { InputError } from '../../../services/adapters/errors.ts';
import { makeDirectory } from '../../../services/adapters/make-directory.ts';
import { ownStamp, requireOwnStamp } from '../../../services/installation/stamp.ts';
import { fullDiskAdvice } from '../processes/full-disk.ts';
import { tryLock } from '../processes/lock.ts';
import { keptText, textIn } from './files.ts';
import { lockFile, type StateOwner } from './state-owner.ts';

export interface StateDirectory {
  /** The absolute path, with symbolic links resolved. */
  readonly dir: string;
  /** Joins a path below the directory. */
  readonly at: (...parts: string[]) => string;
  readonly release: () => void;
}

/** The folders of the servers' data. */
const DATA = ['postgres', 'kafka', 'temporal', 'cluster'];
const STAMP = 'stamp';

/**
 * Creates the directory, accessible only to its owner, takes the lock, and stamps a new directory.
 * @throws InputError when a live process holds the lock, the directory cannot be used, or another unreleased version has begun it.
 */
export function openStateDirectory(given: string, owner: StateOwner, purpose: string): StateDirectory {
  try {
    const isMade = !existsSync(given);
    const dir = createPrivateDirectory(given);
    requireDiskSpace(dir, isMade);
    const unlock = lockDirectory(dir, owner, purpose);
    const release = (): void => {
      unlock();
      removeUnused(dir, isMade);
    };
    try {
      requireOwnDirectory(dir);
    } catch (error) {
      release();
      throw error;
    }
    return { dir, at: (...parts) => path.join(dir, ...parts), release };
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    throw new InputError(`the state directory ${given} cannot be used; choose another --state-dir`, {
      cause,
    });
  }
}

function lockDirectory(dir: string, owner: StateOwner, purpose: string): () => void {
  const attempt = tryLock(lockFile(dir, owner), purpose);
  if ('release' in attempt) return attempt.release;
  const { pid, purpose: running, since } = attempt.holder;
  throw new InputError(
    `state directory ${dir} is in use: ${running} has been running there since ${since} (process ${pid}); stop it first, or choose another --state-dir`,
  );
}

function requireDiskSpace(dir: string, isMade: boolean): void {
  const full = fullDiskAdvice(dir);
  if (full === undefined) return;
  removeUnused(dir, isMade);
  throw new InputError(`${full}, or choose another --state-dir`);
}

function requireOwnDirectory(dir: string): void {
  const isNew = DATA.every((name) => !existsSync(path.join(dir, name)));
  const file = path.join(dir, STAMP);
  requireOwnStamp(`the state directory ${dir}`, isNew ? keptText(file, ownStamp) : (textIn(file) ?? null));
}

/**
 * Removes the traces of a refused start: the stamp, which another version would refuse, and the directory if the start
 * created it.
 */
function removeUnused(dir: string, isMade: boolean): void {
  if (!existsSync(dir) || readdirSync(dir).some((name) => name !== STAMP)) return;
  rmSync(path.join(dir, STAMP), { force: true });
  if (isMade) rmdirSync(dir);
}

function createPrivateDirectory(given: string): string {
  if (statSync(given, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new InputError(`the state directory ${given} is a file; choose another --state-dir`);
  makeDirectory(given, { mode: 0o700 });
  return restrictAccess(realpathSync(given));
}

/**
 * The directory contains passwords and tokens. Access to a directory that other users can enter is restricted, unless
 * the directory may have other uses too.
 */
function restrictAccess(dir: string): string {
  if ((statSync(dir).mode & 0o077) === 0) return dir;
  const files = readdirSync(dir);
  const isOurs = files.length === 0 || files.some((name) => name === 'servers.lock' || name === 'up.lock');
  if (!isOurs)
    throw new InputError(
      `other users can enter the state directory ${dir}, which will contain passwords, and it contains other files: choose another --state-dir, or run "chmod 700 ${dir}" if nothing else uses it`,
    );
  chmodSync(dir, 0o700);
  return dir;
}
