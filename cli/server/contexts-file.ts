import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { InputError, errorMessage } from '../../services/adapters/errors.ts';
import { makeDirectory } from '../../services/adapters/make-directory.ts';
import { replacedFile } from '../replaced-file.ts';
import { NO_CONTEXTS, type Contexts } from './contexts.ts';

/** The time to wait for the lock of another process, in milliseconds; a change takes a few milliseconds. */
const LOCK_MS = 10_000;
const LOCK_AGAIN_MS = 20;

/** The file of the contexts: `$XDG_CONFIG_HOME/jobledger/config.yaml`, by default below `~/.config`. */
export function contextsPath(environment: NodeJS.ProcessEnv = process.env): string {
  const given = environment['XDG_CONFIG_HOME'];
  const folder = given === undefined || given === '' ? join(homedir(), '.config') : given;
  return join(folder, 'jobledger', 'config.yaml');
}

/** The stored contexts; an absent file counts as one without contexts. @throws InputError that names the file, never its content. */
export async function readContexts(file = contextsPath()): Promise<Contexts> {
  const text = textIn(file);
  if (text === null) return NO_CONTEXTS;
  const { contextsIn } = await import('./contexts-text.ts');
  return contextsIn(text, file);
}

/**
 * Replaces the contexts with the result of `change`, under a lock against other processes. The new file replaces the old file atomically, and only
 * its owner can read it, because it may contain tokens. @throws InputError when another process keeps the lock.
 */
export async function changeContexts(
  change: (contexts: Contexts) => Contexts,
  file = contextsPath(),
): Promise<void> {
  makeDirectory(dirname(file), { mode: 0o700 });
  const release = await lockFile(file);
  try {
    const { contextsText } = await import('./contexts-text.ts');
    replaceFile(file, contextsText(change(await readContexts(file))));
  } finally {
    release();
  }
}

/** Replaces a file atomically with a new text, which only the owner can read. */
function replaceFile(file: string, text: string): void {
  const replaced = replacedFile(file);
  if (replaced === null)
    throw new InputError(
      `${file} is not a regular file, so no context can be stored in it; remove it, or rename it`,
    );
  const draft = `${replaced}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, replaced);
}

/** Resolves with the function that releases the lock. */
async function lockFile(file: string): Promise<() => void> {
  // The module is loaded only here, because few verbs change the contexts.
  const { tryLock } = await import('../../infra/local/processes/lock.ts');
  const lock = `${file}.lock`;
  const end = performance.now() + LOCK_MS;
  for (;;) {
    const attempt = tryLock(lock, 'changing the contexts');
    if ('release' in attempt) return attempt.release;
    if (performance.now() > end)
      throw new InputError(
        `process ${attempt.holder.pid} has been changing ${file} for more than ${LOCK_MS / 1000} s; try again when this process has ended`,
      );
    await delay(LOCK_AGAIN_MS);
  }
}

/** The text of a file; null if the file does not exist. @throws InputError if it cannot be read. */
function textIn(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw new InputError(`${file} cannot be read: ${errorMessage(error)}`);
  }
}
