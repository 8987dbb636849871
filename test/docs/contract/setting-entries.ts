import ts from 'typescript';
import type { Entry } from './entry.ts';
import { nodesIn } from './source-files.ts';

/** The variables of the environment that are ours, or of the servers that we use. */
const VARIABLE = /^(JOBLEDGER|KAFKA|TEMPORAL|DATABASE|OTEL)_[A-Z_]+$/;

/** Ends a service at a named point of its code, for the tests. */
const OF_TESTS = new Set(['JOBLEDGER_FAULT_FILE']);

/** Every variable that the sources read, with the type that its schema gives it; text without a schema. `others`: with names made by code. */
export function settingEntries(sources: readonly ts.SourceFile[], others: readonly string[]): Entry[] {
  const types = new Map(others.map((name) => [name, 'text']));
  for (const name of sources.flatMap(variablesIn)) types.set(name, 'text');
  for (const [name, type] of sources.flatMap(schemasIn)) types.set(name, type);
  return [...types]
    .filter(([name]) => !OF_TESTS.has(name))
    .map(([name, type]) => ({ place: 'settings', line: `${name}: ${type}`, names: [name] }));
}

/** Names in quotes, as in `.env('JOBLEDGER_CLAIM')` or `environment['JOBLEDGER_CLAIM']`. */
function variablesIn(source: ts.SourceFile): string[] {
  return nodesIn(source, ts.isStringLiteral)
    .map(({ text }) => text)
    .filter((text) => VARIABLE.test(text));
}

/** Names with a schema of zod, as in `JOBLEDGER_CLAIM: z.enum(['managed', 'all'])`. */
function schemasIn(source: ts.SourceFile): [string, string][] {
  return nodesIn(source, ts.isPropertyAssignment)
    .filter(({ name }) => VARIABLE.test(name.getText()))
    .flatMap(({ name, initializer }) => {
      const type = settingType(initializer);
      return type === null ? [] : [[name.getText(), type] as [string, string]];
    });
}

/** Null for what is no schema: a call that is one begins with `z`, or takes a fallback. */
function settingType(initializer: ts.Expression): string | null {
  const calls = nodesIn(initializer, ts.isCallExpression);
  if (calls.length === 0) return /^(list|[a-z]\w*Setting)$/.test(initializer.getText()) ? 'text' : null;
  const text = initializer.getText();
  const choices = calls.find((call) => call.expression.getText() === 'z.enum')?.arguments[0];
  if (choices !== undefined && ts.isArrayLiteralExpression(choices))
    return choices.elements.map((element) => element.getText().replaceAll("'", '"')).join(' | ');
  if (/^integer\(|z\.coerce\s*\.number\(\)\s*\.int\(\)/.test(text)) return 'integer';
  return /z\.coerce\s*\.number\(\)/.test(text) ? 'number' : 'text';
}
