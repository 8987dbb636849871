import { REDACTED } from '../../adapters/events/redacted.ts';
import type { KeptFields } from './kept-fields.ts';

/** Replaces the value of each field that no rule keeps. If the rules keep all fields, the object itself is returned. */
export function keepFields<T>(value: T, rules: readonly KeptFields[]): T {
  return keepValue(value, rules) as T;
}

function keepValue(value: unknown, rules: readonly KeptFields[]): unknown {
  if (value === null || rules.includes(true)) return value;
  if (rules.length === 0 || typeof value !== 'object') return REDACTED;
  if (Array.isArray(value)) {
    const list = value.map((each) => keepValue(each, rules));
    return list.every((each, at) => each === value[at]) ? value : list;
  }
  let copy: Record<string, unknown> | undefined;
  for (const [name, each] of Object.entries(value)) {
    const now = keepValue(each, rulesFor(name, rules));
    if (now === each) continue;
    copy ??= { ...value };
    copy[name] = now;
  }
  return copy ?? value;
}

/** The rules for the part of an object with this name. */
function rulesFor(name: string, rules: readonly KeptFields[]): KeptFields[] {
  const found: KeptFields[] = [];
  for (const rule of rules) {
    if (rule === true) continue;
    const exact = Object.hasOwn(rule, name) ? rule[name] : undefined;
    if (exact !== undefined) found.push(exact);
    for (const { parts, fields } of compilePatterns(rule))
      if (matchesPattern(name, parts)) found.push(fields);
  }
  return found;
}

interface Pattern {
  /** The texts between the `*` of a name. */
  parts: readonly string[];
  fields: KeptFields;
}

const patternsOfRules = new WeakMap<object, Pattern[]>();

/** The patterns for the names with `*`, compiled once for each rule. */
function compilePatterns(rule: Exclude<KeptFields, true>): Pattern[] {
  const known = patternsOfRules.get(rule);
  if (known !== undefined) return known;
  const patterns = Object.entries(rule)
    .filter(([name]) => name.includes('*'))
    .map(([name, fields]) => ({ parts: name.split('*'), fields }));
  patternsOfRules.set(rule, patterns);
  return patterns;
}

/** True when the name contains the parts in this order, begins with the first part and ends with the last part. */
function matchesPattern(name: string, parts: readonly string[]): boolean {
  const [first = '', ...others] = parts;
  const last = others.pop() ?? '';
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
