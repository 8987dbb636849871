import { printableLine } from '../../../services/adapters/printable.ts';
import type { Cause, Wait, Why } from '../../../workflows/history/why/types.ts';
import { lineText } from '../history/time-line.ts';

/** The largest numbers of printed causes, for the latest causes and for the roots; `-o json` prints all causes. */
const SHOWN = { latest: 40, roots: 5 };

/** The answers with their numbered causes; each cause also has the numbers of its own causes. */
export function whyText({ about, answers, causes, waits }: Why): string {
  const numbers = new Map(causes.map(({ id }, at) => [id, at + 1]));
  // The numbers of causes as a reference, such as `← 1-3`.
  const references = (ids: readonly string[]): string => {
    const found = ids.flatMap((id) => numbers.get(id) ?? []);
    return found.length === 0 ? '' : `  ← ${rangesText(found)}`;
  };
  return [
    ...answers.map(({ question, message, because }) =>
      printableLine(`${question}: ${message}${references(because)}`),
    ),
    ...(answers.length === 0 ? [`nothing is recorded about ${about}`] : []),
    ...(causes.length === 0 ? [] : ['', 'From effect to cause:', ...causeLines(causes, references)]),
    ...(waits.length === 0
      ? []
      : ['', 'What was not done:', ...waits.map((wait) => waitText(wait, references))]),
  ].join('\n');
}

type References = (ids: readonly string[]) => string;

/** A numbered line for each cause; causes in the middle of a long list are left out. */
function causeLines(causes: readonly Cause[], references: References): string[] {
  const width = String(causes.length).length;
  const lines = causes.map(({ at, about, message, rule, because }, index) => {
    const line = lineText({ time: at, about, message: `${message}${ruleText(rule)}${references(because)}` });
    return `${String(index + 1).padStart(width)}  ${line}`;
  });
  const left = lines.length - SHOWN.latest - SHOWN.roots;
  if (left <= 0) return lines;
  return [
    ...lines.slice(0, SHOWN.latest),
    `${' '.repeat(width)}  … ${left} more causes; -o json shows all …`,
    ...lines.slice(-SHOWN.roots),
  ];
}

/** The line about a wait, with its period and its rule. */
function waitText({ since, until, message, rule, because }: Wait, references: References): string {
  return printableLine(`  ${since} to ${until ?? 'now'}: ${message}${ruleText(rule)}${references(because)}`);
}

/** The rule in brackets; empty without a rule. */
function ruleText(rule: string | null): string {
  return rule === null ? '' : ` [${rule}]`;
}

/** Formats numbers, with consecutive numbers as a range. */
function rangesText(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(', ');
}
