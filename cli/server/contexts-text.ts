import { parse, stringify } from 'yaml';
import { InputError } from '../../services/adapters/errors.ts';
import type { Contexts, ServerContext } from './contexts.ts';

/** The contexts in the text of a file. @throws InputError that names the file, never its content. */
export function contextsIn(text: string, file: string): Contexts {
  const given = valueIn(text, file) ?? {};
  const problem = problemIn(given);
  if (problem !== null) throw new InputError(`${file} cannot be used; correct it, or remove it: ${problem}`);
  return { contexts: [], ...(given as Partial<Contexts>) };
}

/** The contexts as the YAML text of their file. */
export function contextsText(contexts: Contexts): string {
  return stringify(contexts);
}

/** Parses the YAML text of a file. @throws InputError that names the file. */
function valueIn(text: string, file: string): unknown {
  try {
    return parse(text, { prettyErrors: false, logLevel: 'error' });
  } catch {
    // The parser's own message would quote the line, which may contain a token.
    throw new InputError(`${file} is not YAML; correct it, or remove it`);
  }
}

const NEEDED: readonly (keyof ServerContext)[] = ['name', 'server'];
const POSSIBLE: readonly string[] = [...NEEDED, 'token', 'token-file', 'ca-file'];

// The text is checked by hand, because loading a library of schemas would take longer than the request of the verb.
function problemIn(given: unknown): string | null {
  if (!isObject(given)) return 'expected the fields current and contexts';
  const { current, contexts = [], ...others } = given;
  const [other] = Object.keys(others);
  if (other !== undefined) return 'expected only the fields current and contexts';
  if (current !== undefined && typeof current !== 'string') return 'current: expected a name';
  if (!Array.isArray(contexts)) return 'contexts: expected a list';
  return contexts.map(problemOfContext).find((problem) => problem !== null) ?? null;
}

/** The problem of the context at a place of the list; null if the context is valid. */
function problemOfContext(context: unknown, place: number): string | null {
  const where = `contexts[${place}]`;
  if (!isObject(context)) return `${where}: expected ${POSSIBLE.join(', ')}`;
  const missing = NEEDED.find((field) => context[field] === undefined);
  if (missing !== undefined) return `${where}: ${missing} is missing`;
  if (Object.keys(context).some((field) => !POSSIBLE.includes(field)))
    return `${where}: expected ${POSSIBLE.join(', ')}, nothing else`;
  const wrong = POSSIBLE.find((field) => field in context && !isText(context[field]));
  return wrong === undefined ? null : `${where}.${wrong}: expected a text`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
