import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { readCitations } from '../rules/citations.ts';
import { readRules } from '../rules/rules.ts';

/** So far apart may a name and the rule that a line cites be. */
const LINES = 5;
const MOST = 5;

/** Gives the rules that quote one of several names: in docs/rules.md, or in code that cites the rule near the name. */
export function rulesQuoting(): (names: readonly string[]) => string[] {
  const rules = [...readRules().values()];
  const places = readCitations().filter(
    ({ file, rule }) => rule.startsWith('J-') && !file.startsWith('test/') && !file.endsWith('.yaml'),
  );
  const lines = new Map([...new Set(places.map(({ file }) => file))].map((file) => [file, readLines(file)]));
  return (names) => {
    const quotes = names.filter(isTelling).map((name) => new RegExp(`(?<!\\w)${escaped(name)}(?!\\w)`));
    const isQuoted = (text: string): boolean => quotes.some((quote) => quote.test(text));
    const byText = rules.filter(({ about }) => isQuoted(about)).map(({ id }) => id);
    const byCode = places.filter(({ file, line }) =>
      isQuoted((lines.get(file) ?? []).slice(Math.max(0, line - 1 - LINES), line + LINES).join('\n')),
    );
    const counts = Map.groupBy(byCode, ({ rule }) => rule);
    const ranked = [...counts.keys()].toSorted(
      (a, b) => (counts.get(b)?.length ?? 0) - (counts.get(a)?.length ?? 0),
    );
    return [...new Set([...byText, ...ranked])].slice(0, MOST);
  };
}

/** A plain word such as `name` says nothing. */
function isTelling(name: string): boolean {
  return /[a-z][A-Z]|[ ./]/.test(name) && name.length > 5;
}

const escaped = (name: string): string => name.replace(/[\\^$.|?+*()[\]{}]/g, '\\$&');

function readLines(file: string): string[] {
  return readFileSync(join(PACKAGE_DIR, file), 'utf8').split('\n');
}
