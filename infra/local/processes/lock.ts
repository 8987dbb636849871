import { linkSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isAlive, ownIdentity, type ProcessIdentity } from './identity.ts';

/** The process that holds a lock, with its start time and purpose. */
export interface LockHolder extends ProcessIdentity {
  readonly purpose: string;
  readonly since: string;
}

export type LockAttempt = { readonly release: () => void } | { readonly holder: LockHolder };

/** Takes the lock `file` unless a live process holds it. The lock of a dead process is taken over. */
export function tryLock(file: string, purpose: string): LockAttempt {
  mkdirSync(path.dirname(file), { recursive: true });
  const own: LockHolder = { ...ownIdentity(), purpose, since: new Date().toISOString() };
  for (;;) {
    if (createLock(file, own)) return { release: () => releaseOwn(file, own) };
    const found = readHolder(file);
    if (found === null) continue;
    if (found !== undefined && isAlive(found)) return { holder: found };
    // Only the process with this second lock removes a stale lock, so it cannot remove the fresh lock of another process.
    const removal = tryLock(`${file}.stale`, purpose);
    if ('holder' in removal) return removal;
    try {
      removeStale(file);
    } finally {
      removal.release();
    }
  }
}

/** The holder of a lock; undefined when nobody holds it or the holder is dead. */
export function liveHolder(file: string): LockHolder | undefined {
  const found = readHolder(file);
  return found && isAlive(found) ? found : undefined;
}

/** Creates the lock as a hard link: it appears with its whole content or not at all, and never replaces a file. */
function createLock(file: string, own: LockHolder): boolean {
  const draft = `${file}.${own.pid}`;
  writeFileSync(draft, JSON.stringify(own));
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * The holder that a lock names; null when the file does not exist, and undefined when the file is not a lock that a
 * process wrote in full.
 * @throws when the file cannot be read.
 */
function readHolder(file: string): LockHolder | null | undefined {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as LockHolder | null) ?? undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const isLinkToNothing = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLinkToNothing ? undefined : null;
  }
}

function removeStale(file: string): void {
  const found = readHolder(file);
  if (found === null || (found !== undefined && isAlive(found))) return;
  rmSync(file, { force: true });
}

function releaseOwn(file: string, own: LockHolder): void {
  const found = readHolder(file);
  if (found?.pid === own.pid && found.since === own.since) rmSync(file, { force: true });
}
