import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { InputError, errorMessage } from '../adapters/errors.ts';
import { parseYaml } from '../adapters/kubernetes/yaml.ts';

/** The fields of a spec that `what-if` can change. */
export interface ChangeableSpec<F extends string> {
  fields: readonly F[];
  /** The API server's validation of each field; a field that may be removed is nullable. */
  schemas: Readonly<Record<F, z.ZodType>>;
  /** Other fields, with the reason why they cannot be varied. */
  others: Readonly<Record<string, string>>;
  /** `spec.backoffLimit=3`, for messages. */
  example: string;
}

/**
 * Parses other values of a spec: `sets` are `path=value` with a value in JSON or plain text, `files` are `path=FILE` with a YAML
 * or JSON file; `option` is the name of the option of `sets` for error messages. @throws InputError for an invalid path or value.
 */
export type ParseChange<C> = (sets: readonly string[], files?: readonly string[], option?: string) => C;

/** The parser for the changes of a spec. */
export function changeParser<C extends { readonly [F in keyof C]: unknown }>(
  spec: ChangeableSpec<keyof C & string>,
): ParseChange<C> {
  return (sets, files = [], option = '--set') => specChange(spec, sets, files, option) as C;
}

/** Parses all changes of a spec. @throws InputError for an invalid or a repeated change. */
function specChange<F extends string>(
  spec: ChangeableSpec<F>,
  sets: readonly string[],
  files: readonly string[],
  option: string,
): Partial<Record<F, unknown>> {
  const entries = [
    ...sets.map((text) => parseEntry(spec, option, text, parseValue)),
    ...files.map((text) => parseEntry(spec, `${option}-file`, text, readValue)),
  ];
  const [field] = entries.map(([each]) => each).filter((each, at, all) => all.indexOf(each) !== at);
  if (field !== undefined) throw new InputError(`spec.${field} is set twice`);
  if (entries.length === 0) throw new InputError(`give a change, for example ${option} ${spec.example}`);
  return Object.fromEntries(entries) as Partial<Record<F, unknown>>;
}

function parseEntry<F extends string>(
  spec: ChangeableSpec<F>,
  option: string,
  text: string,
  read: (value: string) => unknown,
): [F, unknown] {
  const [, path = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const field = changeableField(spec, option, text, path);
  const parsed = spec.schemas[field].safeParse(policyIn(read(value), field));
  if (parsed.success) return [field, parsed.data];
  const issues = parsed.error.issues.map(({ path: at, message }) =>
    [...at, message.replace(/^Invalid input: /, '')].join(': '),
  );
  throw new InputError(`${option} ${text}: spec.${field} is invalid: ${issues.join('; ')}`);
}

/** The field that a path names. @throws InputError when the field does not exist or cannot be varied. */
function changeableField<F extends string>(
  { fields, others, example }: ChangeableSpec<F>,
  option: string,
  text: string,
  path: string,
): F {
  const name = path.replace(/^spec\./, '');
  const field = fields.find((each) => each === name);
  if (field !== undefined) return field;
  const known = `one of ${fields.map((each) => `spec.${each}`).join(', ')}`;
  if (path === '')
    throw new InputError(
      `${option} ${text}: write path=value, for example ${option} ${example}; the path is ${known}`,
    );
  const [first = ''] = name.split('.');
  if (Object.hasOwn(others, first))
    throw new InputError(`${option} ${text}: ${path} cannot be varied: ${others[first]}`);
  throw new InputError(`${option} ${text}: there is no path "${path}"; the path is ${known}`);
}

/** Parses a value as JSON; any other text is a string. */
function parseValue(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The policy in a value, which may be nested under its own name, as in a Job. */
function policyIn(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null && field in value
    ? (value as Readonly<Record<string, unknown>>)[field]
    : value;
}

/** Reads a value from a YAML or JSON file. */
function readValue(file: string): unknown {
  try {
    return parseYaml(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new InputError(`${file} cannot be read: ${errorMessage(error)}`);
  }
}
