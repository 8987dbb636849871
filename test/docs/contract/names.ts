import { parse } from 'yaml';
import { z } from 'zod';
import type { Entry, Place } from './entry.ts';

/** The meanings of the names, written by hand. */
export const NAMES_FILE = 'docs/names.yaml';

/** The page whose section has the names, and the line after which a generator writes them. */
export const NAMES_PAGE = 'docs/vocabulary.md';
const MARK = '<!-- names -->';

/** A name of the contract, however it is spelled. */
export interface Name {
  key: string;
  spellings: readonly string[];
  places: readonly Place[];
  /** From the code: of a verb its summary, of a metric its help. */
  meaning: string | null;
}

/** The names of the contract, in order. */
export function namesIn(entries: readonly Entry[]): Name[] {
  const found = new Map<string, { spellings: Set<string>; places: Set<Place>; meaning: string | null }>();
  for (const { names, place, meaning } of entries)
    for (const [at, spelling] of names.entries()) {
      const key = nameKey(spelling);
      const name = found.get(key) ?? { spellings: new Set(), places: new Set(), meaning: null };
      found.set(key, name);
      name.spellings.add(spelling);
      name.places.add(place);
      if (at === 0 && meaning !== undefined) name.meaning = meaning;
    }
  return [...found]
    .map(([key, { spellings, places, meaning }]) => ({
      key,
      spellings: [...spellings].toSorted(),
      places: [...places],
      meaning,
    }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1));
}

/** `jobUid`, `job_uid` and `--job-uid` are one name, `job_uid`. Types of events, kinds of commands, verbs and settings stay as they are. */
export function nameKey(spelling: string): string {
  if (/^[A-Z]|[./ ]/.test(spelling)) return spelling;
  const words = spelling.replace(/^--/, '').replaceAll('-', '_');
  return words.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const SOURCE = z.strictObject({
  /** Fields of Kubernetes' own objects under their own names. */
  kubernetes: z.array(z.string()),
  names: z.record(z.string(), z.string()),
});

const AS_IN_KUBERNETES = 'The name has the same meaning as in the Kubernetes API.';

/** The meanings by key. @throws for a name with two of them. */
export function meaningsIn(source: string): Map<string, string> {
  const { kubernetes, names } = SOURCE.parse(parse(source));
  const all = [...kubernetes.map((key) => [key, AS_IN_KUBERNETES] as const), ...Object.entries(names)];
  const meanings = new Map(all);
  const twice = all.map(([key]) => key).filter((key, at, keys) => keys.indexOf(key) !== at);
  if (twice.length > 0) throw new Error(`${NAMES_FILE} has two meanings of ${twice.join(', ')}`);
  return meanings;
}

/** What is wrong with the meanings, a sentence for each name. */
export function findProblems(names: readonly Name[], meanings: ReadonlyMap<string, string>): string[] {
  const keys = new Map(names.map((name) => [name.key, name]));
  return [
    ...names
      .filter(({ key, meaning }) => meaning === null && !meanings.has(key))
      .map(({ key, places }) => `${key} (${places.join(', ')}) has no meaning in ${NAMES_FILE}`),
    ...[...meanings.keys()].flatMap((key) => {
      const name = keys.get(key);
      if (name === undefined) return [`${key} of ${NAMES_FILE} is no name of the contract`];
      return name.meaning === null
        ? []
        : [`${key} has its meaning in the code, and another one in ${NAMES_FILE}`];
    }),
  ];
}

/** The page with these names in its section. The rows are not aligned: spaces would be most of the page. */
export function pageWithNames(
  page: string,
  names: readonly Name[],
  meanings: ReadonlyMap<string, string>,
): string {
  const [above, below] = page.split(MARK);
  if (above === undefined || below === undefined) throw new Error(`${NAMES_PAGE} has no line ${MARK}`);
  const rows = names.map(({ key, spellings, places, meaning }) => {
    const name = spellings.map((each) => `\`${each}\``).join(', ');
    return `| ${name} | ${places.join(', ')} | ${cell(sentence(meaning ?? meanings.get(key) ?? ''))} |`;
  });
  const table = ['| name | used in | meaning |', '| --- | --- | --- |', ...rows].join('\n');
  return `${above}${MARK}\n\n${INTRODUCTION}\n\n<!-- prettier-ignore-start -->\n\n${table}\n\n<!-- prettier-ignore-end -->\n`;
}

const INTRODUCTION = `This section lists each public name of events, SQL, the API, the command line, metrics and settings once: \`jobUid\`, \`job_uid\` and \`--job-uid\` are one name.
[The contract](contract.txt) lists the places of each name, with its type. \`npm run contract\` writes this section from the code and from
[names.yaml](names.yaml).`;

/** Summaries of verbs begin small and end without a full stop. */
function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.]$|^$/.test(text) ? '' : '.'}`;
}

/** Text that Markdown shows as it is. */
function cell(text: string): string {
  return text.replaceAll(/[|<>]/g, (sign) => `\\${sign}`);
}
