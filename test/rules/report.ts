import type { Citation } from './citations.ts';
import type { Rule } from './rules.ts';

/** Places that name an unknown rule, a line each. */
export function unknown(rules: ReadonlyMap<string, Rule>, citations: readonly Citation[]): string[] {
  return citations
    .filter(({ rule }) => !rules.has(rule))
    .map(({ rule, file, line }) => `${file}:${line} names ${rule}: there is no such rule in docs/rules.md`);
}

/** Applicable rules that no test names, a line each. */
export function untested(rules: ReadonlyMap<string, Rule>, citations: readonly Citation[]): string[] {
  const tested = new Set(citations.filter(({ by }) => by === 'test').map(({ rule }) => rule));
  return [...rules.values()]
    .filter(({ id, leftOut }) => leftOut === '' && !tested.has(id))
    .map(({ id, about }) => `${id} (${about}) applies, and no test names it`);
}

/** A paragraph for each rule: the tests and the code that name it, or why it is left out. */
export function paragraphs(rules: ReadonlyMap<string, Rule>, citations: readonly Citation[]): string[] {
  return [...rules.values()].map(({ id, about, leftOut }) => {
    const naming = citations.filter(({ rule }) => rule === id);
    return [
      `${id}  ${about}`,
      ...(leftOut === '' ? [] : [`    left out: ${leftOut}`]),
      ...placesBy('test', naming),
      ...placesBy('code', naming),
    ].join('\n');
  });
}

function placesBy(by: Citation['by'], naming: readonly Citation[]): string[] {
  const own = naming.filter((each) => each.by === by);
  return [...new Set(own.map(({ file }) => file))].map((file) => {
    const lines = new Set(own.filter((each) => each.file === file).map(({ line }) => line));
    return `    ${by}: ${file}:${[...lines].join(',')}`;
  });
}

export function summary(rules: ReadonlyMap<string, Rule>, citations: readonly Citation[]): string {
  const tested = new Set(citations.filter(({ by }) => by === 'test').map(({ rule }) => rule));
  const all = [...rules.values()];
  const applying = all.filter(({ leftOut }) => leftOut === '');
  const named = applying.filter(({ id }) => tested.has(id));
  return `${all.length} rules: ${applying.length} apply, ${named.length} of them are named by tests; ${all.length - applying.length} are left out`;
}
