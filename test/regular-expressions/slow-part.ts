import { RegExpParser, visitRegExpAST, type AST } from '@eslint-community/regexpp';
import { getConsumedChars, isPotentiallyEmpty } from 'regexp-ast-analysis';
import { analyse } from 'scslre';

/**
 * Why a regular expression may take more than linear time for some text; null when it does not. Two kinds: parts that share characters,
 * so that a failed match tries every division between them; and a repetition that is searched again from each place in it.
 */
export function slowPart(source: string, flags: string): string | null {
  const [report] = analyse({ source, flags }, { maxReports: 1 }).reports;
  if (report !== undefined)
    return report.exponential ? 'exponential' : `${report.type}: one text has several divisions`;
  const { pattern, flags: parsed } = parsedLiteral(source, flags);
  let found: string | null = null;
  visitRegExpAST(pattern, {
    onQuantifierEnter(quantifier) {
      if (quantifier.max === Infinity && isSearchedAgain(quantifier, parsed)) found ??= quantifier.raw;
    },
  });
  return found === null ? null : `${String(found)}: each place in it begins another search`;
}

function parsedLiteral(source: string, flags: string): { pattern: AST.Pattern; flags: AST.Flags } {
  const parser = new RegExpParser();
  const parsed = parser.parseFlags(flags);
  const { unicode, unicodeSets } = parsed;
  return {
    pattern: parser.parsePattern(source, undefined, undefined, { unicode, unicodeSets }),
    flags: parsed,
  };
}

/** A match can begin within the repetition, pass through the rest of it, and fail after it. */
function isSearchedAgain(quantifier: AST.Quantifier, flags: AST.Flags): boolean {
  const repeated = getConsumedChars(quantifier, flags).chars;
  const { before, after } = siblings(quantifier);
  if (before.some((each) => isAnchor(each, flags))) return false;
  const required = before.filter((each) => each.type !== 'Assertion' && !isPotentiallyEmpty(each, flags));
  return (
    after.some((each) => each.type === 'Assertion' || !isPotentiallyEmpty(each, flags)) &&
    required.every((each) => !getConsumedChars(each, flags).chars.isDisjointWith(repeated)) &&
    !before.some((each) => isNotWithin(each, quantifier, flags))
  );
}

/** What stands before and after an element in its own and all outer sequences. */
function siblings(element: AST.Quantifier): { before: AST.Element[]; after: AST.Element[] } {
  const [before, after]: AST.Element[][] = [[], []];
  let inner: AST.Node = element;
  for (let outer: AST.Node | null = inner.parent; outer !== null; inner = outer, outer = outer.parent)
    if (outer.type === 'Alternative') {
      const at = outer.elements.indexOf(inner as AST.Element);
      before?.unshift(...outer.elements.slice(0, at));
      after?.push(...outer.elements.slice(at + 1));
    }
  return { before: before ?? [], after: after ?? [] };
}

function isAnchor(element: AST.Element, { multiline }: AST.Flags): boolean {
  return element.type === 'Assertion' && element.kind === 'start' && !multiline;
}

/** An assertion that no place within the repetition meets: a word's boundary in a word, or that none of its characters precede. */
function isNotWithin(assertion: AST.Element, quantifier: AST.Quantifier, flags: AST.Flags): boolean {
  if (assertion.type !== 'Assertion') return false;
  const repeated = getConsumedChars(quantifier, flags).chars;
  if (assertion.kind === 'word') return repeated.isSubsetOf(wordCharacters(flags));
  return (
    assertion.kind === 'lookbehind' &&
    assertion.negate &&
    assertion.alternatives.some(
      ({ elements: [only, ...more] }) =>
        only !== undefined && more.length === 0 && repeated.isSubsetOf(getConsumedChars(only, flags).chars),
    )
  );
}

function wordCharacters(flags: AST.Flags): ReturnType<typeof getConsumedChars>['chars'] {
  return getConsumedChars(parsedLiteral(String.raw`\w`, '').pattern, flags).chars;
}
