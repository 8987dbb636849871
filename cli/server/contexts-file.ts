import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { InputError, errorMessage } from '../../services/adapters/errors.ts';
import { makeDirectory } from '../../services/adapters/make-directory.ts';
import { NO_CONTEXTS, type Contexts } from './contexts.ts';

/** The file of the contexts: `$XDG_CONFIG_HOME/jobledger/config.yaml`, by default below `~/.config`. */
export function contextsPath(environment: NodeJS.ProcessEnv = process.env): string {
  const given = environment['XDG_CONFIG_HOME'];
  const folder = given === undefined || given === '' ? join(homedir(), '.config') : given;
  return join(folder, 'jobledger', 'config.yaml');
}

/** Without a file there are no contexts. @throws InputError naming the file, never its content. */
export async function readContexts(file = contextsPath()): Promise<Contexts> {
  const text = textIn(file);
  if (text === null) return NO_CONTEXTS;
  const { contextsIn } = await import('./contexts-text.ts');
  return contextsIn(text, file);
}

/** Replaces the file at once, readable by its owner only: it may contain tokens. */
export async function writeContexts(contexts: Contexts, file = contextsPath()): Promise<void> {
  const { contextsText } = await import('./contexts-text.ts');
  makeDirectory(dirname(file), { mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, contextsText(contexts), { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

function textIn(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw new InputError(`${file} cannot be read: ${errorMessage(error)}`);
  }
}
