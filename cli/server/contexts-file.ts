import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { InputError, messageOf } from '../../services/adapters/errors.ts';
import { contextsSchema, NO_CONTEXTS, type Contexts } from './contexts.ts';

/** The file of the contexts: `$XDG_CONFIG_HOME/jobledger/config.yaml`, by default below `~/.config`. */
export function contextsPath(environment: NodeJS.ProcessEnv = process.env): string {
  const given = environment['XDG_CONFIG_HOME'];
  const folder = given === undefined || given === '' ? join(homedir(), '.config') : given;
  return join(folder, 'jobledger', 'config.yaml');
}

/** Without a file there are no contexts. @throws InputError naming the file, never its content. */
export function readContexts(file = contextsPath()): Contexts {
  const text = textIn(file);
  if (text === null) return NO_CONTEXTS;
  const parsed = contextsSchema.safeParse(valueIn(text, file) ?? {});
  if (parsed.success) return parsed.data;
  throw new InputError(`${file} cannot be used; correct it, or remove it:\n${z.prettifyError(parsed.error)}`);
}

/** Replaces the file at once, readable by its owner only: it may contain tokens. */
export function writeContexts(contexts: Contexts, file = contextsPath()): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, stringify(contexts), { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

function textIn(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw new InputError(`${file} cannot be read: ${messageOf(error)}`);
  }
}

function valueIn(text: string, file: string): unknown {
  try {
    return parse(text, { prettyErrors: false, logLevel: 'error' });
  } catch {
    // The parser's own message would quote the line, which may contain a token.
    throw new InputError(`${file} is not YAML; correct it, or remove it`);
  }
}
