import {
  parsePageAddress,
  COLUMNS,
  GROUPINGS,
  isLabel,
  JOB_TABS,
  LENGTHS,
  toSearch,
  SORTS,
} from './page-address.ts';

/** A part of an address that the page cannot use. */
export interface IgnoredPart {
  name: string;
  value: string;
  /** A description of the expected value; null if this view has no part of this name. */
  expected: string | null;
}

/** The values of a field: their description, and the check of a value. */
type Field = readonly [expected: string, isValid: (value: string) => boolean];

const instant: Field = [
  'an instant, such as 2026-11-21T03:12:00Z',
  (value) => !Number.isNaN(Date.parse(value)),
];

/** A field that takes one of several values. */
function choiceField(values: readonly string[]): Field {
  return [`one of ${values.join(', ')}`, (value) => values.includes(value)];
}

const FIELDS: Readonly<Record<string, Field>> = {
  label: ['key=value, such as team=maths', isLabel],
  from: instant,
  before: instant,
  at: instant,
  compare: instant,
  deleted: choiceField(['hidden']),
  length: choiceField(Object.keys(LENGTHS)),
  group: choiceField(GROUPINGS),
  sort: choiceField(SORTS),
  columns: choiceField(COLUMNS),
  tab: choiceField(JOB_TABS),
  view: choiceField(['what-if', 'submit', 'cron-jobs', 'clusters']),
};

/** The fields whose value is a list. */
const LISTS = ['columns', 'kubectl_status'];

/** The invalid or unknown parts of an address, which `toSearch` drops. */
export function findIgnoredParts(search: string): IgnoredPart[] {
  const used = new URLSearchParams(toSearch(parsePageAddress(search)));
  return [...new URLSearchParams(search)].flatMap(([name, value]): IgnoredPart[] => {
    if (value === '' || (FIELDS[name] === instant && used.has(name))) return [];
    const known = new Set(used.getAll(name).flatMap((each) => [each, ...each.split(',')]));
    const unused = (LISTS.includes(name) ? value.split(',').filter(Boolean) : [value]).filter(
      (each) => !known.has(each),
    );
    return unused.map((each) => {
      const [expected = null, isValid] = FIELDS[name] ?? [];
      // A valid part that is not used belongs to another view, so it has no expected value.
      return { name, value: each, expected: isValid?.(each) === false ? expected : null };
    });
  });
}
