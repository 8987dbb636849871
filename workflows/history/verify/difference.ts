import { canonicalJson } from '../../job/record/digest.ts';

/** The first difference between two JSON values, in the order of the first one's keys. */
export interface DecisionDifference {
  path: string;
  recorded: string;
  again: string;
}

/** The first difference; null when both have the same canonical JSON. */
export function firstDifference(recorded: unknown, again: unknown, path = ''): DecisionDifference | null {
  if (canonicalJson(wrapped(recorded)) === canonicalJson(wrapped(again))) return null;
  if (isObject(recorded) && isObject(again) && Array.isArray(recorded) === Array.isArray(again)) {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(again)])) {
      const found = firstDifference(recorded[key], again[key], joined(path, key, Array.isArray(recorded)));
      if (found !== null) return found;
    }
  }
  return { path, recorded: textOf(recorded), again: textOf(again) };
}

/** JSON cannot represent undefined outside of objects, where it leaves it out. */
function wrapped(value: unknown): unknown {
  return { value };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function joined(path: string, key: string, isIndex: boolean): string {
  if (isIndex) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

function textOf(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
