import { InputError } from '../../adapters/errors.ts';

/** A requirement of a label selector, as in Kubernetes. */
export interface Requirement {
  key: string;
  operator: 'in' | 'notin' | 'exists' | 'missing';
  /** Empty for `exists` and `missing`. */
  values: string[];
}

export const SELECTOR_EXPECTED =
  'expected requirements separated by commas, such as "team=a,tier in (web, db),run notin (old),!legacy"';

const KEY = String.raw`[\w./-]{1,317}`;
const VALUE = String.raw`[\w.-]{1,63}`;
const [IS_KEY, IS_VALUE] = [new RegExp(`^${KEY}$`), new RegExp(`^(?:${VALUE})?$`)];

/**
 * The texts that `selectorIn` accepts, as a regular expression for the API's document. Each space can match in only one
 * way, so matching takes linear time.
 */
export const SELECTOR = ((): string => {
  const value = String.raw`\s*(?:${VALUE}\s*)?`;
  const equal = String.raw`${KEY}\s*(?:==?|!=)${value}`;
  const set = String.raw`${KEY}\s+(?:in|notin)\s*\(${value}(?:,${value})*\)\s*`;
  const one = String.raw`\s*(?:${equal}|${set}|!?${KEY}\s*)`;
  return `^${one}(?:,${one})*$`;
})();

/** Parses a label selector with the syntax of kubectl. @throws InputError. */
export function selectorIn(text: string): Requirement[] {
  return splitRequirements(text).map((part) => parseRequirement(part.trim()));
}

/** Splits a selector at the commas outside of parentheses, because a comma within parentheses separates values. */
function splitRequirements(text: string): string[] {
  const parts: string[] = [];
  let begin = 0;
  let isInside = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '(' || character === ')') isInside = character === '(';
    if (character !== ',' || isInside) continue;
    parts.push(text.slice(begin, at));
    begin = at + 1;
  }
  return [...parts, text.slice(begin)];
}

function parseRequirement(part: string): Requirement {
  const requirement = part.includes('(')
    ? parseSet(part)
    : part.includes('=')
      ? parseEquality(part)
      : parsePresence(part);
  if (IS_KEY.test(requirement.key) && requirement.values.every((value) => IS_VALUE.test(value)))
    return requirement;
  throw new InputError(`"${part}" is not a requirement of a label selector: ${SELECTOR_EXPECTED}`);
}

/** Parses a requirement with a set of values. For any other text, the result is a requirement without a key. */
function parseSet(part: string): Requirement {
  const open = part.indexOf('(');
  const [key = '', operator, ...more] = part.slice(0, open).trim().split(/\s+/);
  const isSet = (operator === 'in' || operator === 'notin') && more.length === 0 && part.endsWith(')');
  const values = part.slice(open + 1, -1).split(',');
  return {
    key: isSet ? key : '',
    operator: operator === 'in' ? 'in' : 'notin',
    values: values.map((each) => each.trim()),
  };
}

/** Parses `key=value`, `key==value` or `key!=value`. */
function parseEquality(part: string): Requirement {
  const at = part.indexOf('=');
  const isNot = part[at - 1] === '!';
  const end = at + (!isNot && part[at + 1] === '=' ? 2 : 1);
  const key = part.slice(0, isNot ? at - 1 : at).trim();
  return { key, operator: isNot ? 'notin' : 'in', values: [part.slice(end).trim()] };
}

/** Parses `key` or `!key`. */
function parsePresence(part: string): Requirement {
  const isMissing = part.startsWith('!');
  return {
    key: isMissing ? part.slice(1) : part,
    operator: isMissing ? 'missing' : 'exists',
    values: [],
  };
}

/** Splits requirements into labels with one required value, which an index finds, and all other requirements. */
export function splitSelector(all: readonly Requirement[]): {
  labels: Record<string, string>;
  others: Requirement[];
} {
  const labels: Record<string, string> = {};
  const others = all.filter(({ key, operator, values: [value, ...more] }) => {
    if (operator !== 'in' || value === undefined || more.length > 0 || Object.hasOwn(labels, key))
      return true;
    labels[key] = value;
    return false;
  });
  return { labels, others };
}

/** The condition in SQL that the labels of a row meet the requirements in a parameter, which is JSON; null allows any labels. */
export function meetsSelector(parameter: string): string {
  return `(${parameter}::jsonb is null or not exists (
    select from jsonb_to_recordset(${parameter}::jsonb) as required (key text, operator text, values jsonb)
    where not case operator
      when 'in' then coalesce(required.values ? (labels ->> key), false)
      when 'notin' then not coalesce(required.values ? (labels ->> key), false)
      when 'exists' then labels ? key
      else not labels ? key
    end))`;
}

/** True when labels meet a requirement, with the same meaning as `meetsSelector` in SQL. */
export function meetsRequirement(
  { key, operator, values }: Requirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'in':
      return value !== undefined && values.includes(value);
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case 'missing':
      return value === undefined;
  }
}

/** The selector as a text that `selectorIn` parses. */
export function selectorText(requirements: readonly Requirement[]): string {
  return requirements
    .map(({ key, operator, values }) => {
      if (operator === 'exists') return key;
      return operator === 'missing' ? `!${key}` : `${key} ${operator} (${values.join(',')})`;
    })
    .join(',');
}
