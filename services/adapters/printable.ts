/**
 * Characters that control a terminal, or change the order in which the others are shown, as a class of a regular
 * expression: C0 and C1 controls, DEL, line and paragraph separators, and those of the bidirectional algorithm.
 */
export const UNPRINTABLE = String.raw`\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069`;

const [ANY, ALL] = [new RegExp(`[${UNPRINTABLE}]`), new RegExp(`[${UNPRINTABLE}]`, 'g')];

/** Whether a text is one line of characters that are shown as they are. */
export function isPrintable(text: string): boolean {
  return !ANY.test(text);
}

/** The text on one line, with every other character that is not shown as it is escaped as in JSON. */
export function printableLine(text: string): string {
  return text.replaceAll(ALL, escaped);
}

/** The same with its lines. JSON keeps its value, since such characters are in its strings only. */
export function printableLines(text: string): string {
  return text.replaceAll(ALL, (character) => (character === '\n' ? character : escaped(character)));
}

function escaped(character: string): string {
  const short = SHORT[character];
  return short ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const SHORT: Readonly<Record<string, string>> = {
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
};
