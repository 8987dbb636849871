import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { InputError } from '../../services/adapters/errors.ts';
import type { Contexts } from './contexts.ts';

const contextSchema = z.strictObject({
  name: z.string().min(1),
  server: z.string().min(1),
  token: z.string().min(1).optional(),
  'token-file': z.string().min(1).optional(),
  'ca-file': z.string().min(1).optional(),
});

const contextsSchema = z.strictObject({
  current: z.string().optional(),
  contexts: z.array(contextSchema).default([]),
});

/** The contexts in the text of a file. @throws InputError naming the file, never its content. */
export function contextsIn(text: string, file: string): Contexts {
  const parsed = contextsSchema.safeParse(valueIn(text, file) ?? {});
  if (parsed.success) return parsed.data;
  throw new InputError(`${file} cannot be used; correct it, or remove it:\n${z.prettifyError(parsed.error)}`);
}

export function textOf(contexts: Contexts): string {
  return stringify(contexts);
}

function valueIn(text: string, file: string): unknown {
  try {
    return parse(text, { prettyErrors: false, logLevel: 'error' });
  } catch {
    // The parser's own message would quote the line, which may contain a token.
    throw new InputError(`${file} is not YAML; correct it, or remove it`);
  }
}
