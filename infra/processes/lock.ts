import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
    if (created(file, own)) return { release: () => releaseOwn(file, own) };
    const found = readHolder(file);
    if (found === null) continue;
    if (found !== undefined && isAlive(found)) return { holder: found };
    discardStale(file, found);
  }
}

/** The holder of a lock; undefined when nobody holds it or the holder is dead. */
export function liveHolder(file: string): LockHolder | undefined {
  const found = readHolder(file);
  return found && isAlive(found) ? found : undefined;
}

/** Creates the lock as a hard link: it appears with its whole content or not at all, and never replaces a file. */
function created(file: string, own: LockHolder): boolean {
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

/** Null when there is no lock; undefined when it cannot be read. */
function readHolder(file: string): LockHolder | null | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LockHolder;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : undefined;
  }
}

/** Moves a stale lock away. Restores it when another process has just replaced it with a fresh one. */
function discardStale(file: string, stale: LockHolder | undefined): void {
  const away = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, away);
    const moved = readHolder(away);
    if (moved?.born !== stale?.born || moved?.pid !== stale?.pid) linkSync(away, file);
  } catch {
    // Another process discarded it first; the next attempt reads the present lock.
  } finally {
    rmSync(away, { force: true });
  }
}

function releaseOwn(file: string, own: LockHolder): void {
  const found = readHolder(file);
  if (found?.pid === own.pid && found.since === own.since) rmSync(file, { force: true });
}
