import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeDirectory } from '../../../services/adapters/make-directory.ts';
import { tryLock } from '../processes/lock.ts';

export type Say = (line: string) => void;

/** A path in the cache that all clones and state directories of this user share. */
export function cachePath(...names: string[]): string {
  const base = process.env['XDG_CACHE_HOME'];
  const cache = base === undefined || base === '' ? path.join(os.homedir(), '.cache') : base;
  return path.join(cache, 'jobledger', ...names);
}

/** The cache path of a built tool. */
export function toolPath(name: string, version: string): string {
  return cachePath('tools', `${name}-${version}`);
}

/**
 * Returns the cached `target`, made by `make` when it is missing. The entry appears whole or not at all; when several processes need it, one process
 * makes it and the other processes wait.
 */
export async function getOrMake(
  target: string,
  options: { report: Say; signal: AbortSignal; make: (draft: string, workDir: string) => Promise<void> },
): Promise<string> {
  if (existsSync(target)) return target;
  return runLocked(target, options, async () => {
    if (existsSync(target)) return target;
    const workDir = mkdtempSync(path.join(path.dirname(target), '.making-'));
    try {
      const draft = path.join(workDir, 'draft');
      await options.make(draft, workDir);
      renameSync(draft, target);
      return target;
    } finally {
      rmSync(workDir, { recursive: true, force: true });
    }
  });
}

/** Runs `make`, which makes `target`, in one process at a time; other processes wait. The folder of the target is made if it is missing. */
export async function runLocked<T>(
  target: string,
  around: { report: Say; signal: AbortSignal },
  make: () => Promise<T>,
): Promise<T> {
  makeDirectory(path.dirname(target));
  const release = await lockOrWait(target, around);
  try {
    return await make();
  } finally {
    release();
  }
}

/** The lock of the process that makes a target. */
export function lockPath(target: string): string {
  return `${target}.lock`;
}

/** Takes the lock of a target, and waits while another process holds it. Returns the function that releases the lock. */
async function lockOrWait(
  target: string,
  { report, signal }: { report: Say; signal: AbortSignal },
): Promise<() => void> {
  for (let waited = 0; ; waited += 1) {
    const attempt = tryLock(lockPath(target), `getting ${path.basename(target)}`);
    if ('release' in attempt) return attempt.release;
    if (waited % 10 === 0)
      report(
        `waiting for process ${attempt.holder.pid}, which is getting ${path.basename(target)} (${waited} s)`,
      );
    await delay(1000, undefined, { signal });
  }
}
