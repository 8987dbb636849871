import { canonicalJson } from '../ledger/digest.ts';

/** A changed value; `from` is absent for an added value, and `to` for a removed value. */
export interface JsonChange {
  /** The keys from the outside in; a number is the index of a list. */
  path: readonly (string | number)[];
  from?: unknown;
  to?: unknown;
}

/**
 * The differences between two JSON values, in the order of the first value's keys; undefined counts as absent. With
 * `listsAsOne`, a list is compared as one value, otherwise element by element.
 */
export function* jsonChanges(
  from: unknown,
  to: unknown,
  options: { listsAsOne: boolean },
  path: JsonChange['path'] = [],
): Generator<JsonChange> {
  if (from === to) return;
  const keys = keysOfBoth(from, to, options.listsAsOne);
  if (keys === null) {
    if (!isEqual(from, to))
      yield { path, ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    return;
  }
  for (const key of keys) yield* jsonChanges(valueAt(from, key), valueAt(to, key), options, [...path, key]);
}

/** The keys of the values to compare further; null when the two are compared as whole values. */
function keysOfBoth(from: unknown, to: unknown, listsAsOne: boolean): readonly (string | number)[] | null {
  if (Array.isArray(from) && Array.isArray(to))
    return listsAsOne
      ? null
      : Array.from({ length: Math.max(from.length, to.length) }, (_none, index) => index);
  if (!isObject(from) || !isObject(to)) return null;
  /** True when the two values differ in this key. */
  const isChangedKey = (key: string): boolean => valueAt(from, key) !== valueAt(to, key);
  const added = Object.keys(to).filter((key) => isChangedKey(key) && !Object.hasOwn(from, key));
  return [...Object.keys(from).filter(isChangedKey), ...added];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueAt(value: unknown, key: string | number): unknown {
  return (value as Record<string | number, unknown>)[key];
}

/**
 * True when two values are the same in JSON. A copied list has the same elements, so most elements need no comparison
 * as text.
 */
function isEqual(from: unknown, to: unknown): boolean {
  if (Array.isArray(from) && Array.isArray(to))
    return (
      from.length === to.length &&
      from.every((each: unknown, index) => each === to[index] || isEqual(each, to[index]))
    );
  return canonicalJson({ value: from }) === canonicalJson({ value: to });
}
