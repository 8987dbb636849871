import { InputError } from '../adapters/errors.ts';

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
const VALUE = String.raw`[\w.-]{0,63}`;
const EQUAL = String.raw`(${KEY})\s*(==?|!=)\s*(${VALUE})`;
const SET = String.raw`(${KEY})\s+(in|notin)\s*\(\s*(${VALUE}(?:\s*,\s*${VALUE})*)\s*\)`;
const PRESENCE = String.raw`(!)?(${KEY})`;
const [IS_EQUAL, IS_SET, IS_PRESENCE] = [EQUAL, SET, PRESENCE].map((form) => new RegExp(`^${form}$`)) as [
  RegExp,
  RegExp,
  RegExp,
];

/** The texts that `selectorIn` takes, as a regular expression. */
export const SELECTOR = ((): string => {
  const one = String.raw`\s*(?:${[EQUAL, SET, PRESENCE].map(withoutGroups).join('|')})\s*`;
  return `^${one}(?:,${one})*$`;
})();

function withoutGroups(form: string): string {
  return form.replaceAll(/(?<!\\)\((?!\?)/g, '(?:');
}

/** Parses a label selector with the syntax of kubectl. @throws InputError. */
export function selectorIn(text: string): Requirement[] {
  // A comma within parentheses separates values.
  return text.split(/,(?![^(]*\))/).map((part) => requirementIn(part.trim()));
}

function requirementIn(part: string): Requirement {
  const [, key = '', sign = '', value = ''] = IS_EQUAL.exec(part) ?? [];
  if (key !== '') return { key, operator: sign === '!=' ? 'notin' : 'in', values: [value] };
  const [, setKey = '', operator, list = ''] = IS_SET.exec(part) ?? [];
  if (setKey !== '')
    return {
      key: setKey,
      operator: operator === 'in' ? 'in' : 'notin',
      values: list.split(',').map((each) => each.trim()),
    };
  const [, not, name = ''] = IS_PRESENCE.exec(part) ?? [];
  if (name !== '') return { key: name, operator: not === undefined ? 'exists' : 'missing', values: [] };
  throw new InputError(`"${part}" is not a requirement of labels: ${SELECTOR_EXPECTED}`);
}

/** The labels that requirements ask for with one value, which an index finds, and the other requirements. */
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

/** A condition: the labels of the row meet the requirements in this parameter (JSON; null: any do). */
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

/** Whether labels meet a requirement, as `meetsSelector` says it in SQL. */
export function isMet(
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

/** The selector as text, which `selectorIn` reads. */
export function selectorText(requirements: readonly Requirement[]): string {
  return requirements
    .map(({ key, operator, values }) => {
      if (operator === 'exists') return key;
      return operator === 'missing' ? `!${key}` : `${key} ${operator} (${values.join(',')})`;
    })
    .join(',');
}
