/**
 * Characters that control a terminal or reorder other characters, as a class of a regular expression: C0 and C1 controls, DEL,
 * line and paragraph separators, and the control characters of the bidirectional algorithm.
 */
export const UNPRINTABLE = String.raw`\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069`;

const [ANY, ALL] = [new RegExp(`[${UNPRINTABLE}]`), new RegExp(`[${UNPRINTABLE}]`, 'g')];

/** True when a text is a single line of printable characters. */
export function isPrintable(text: string): boolean {
  return !ANY.test(text);
}

/** The text on one line; every unprintable character is escaped as in JSON. */
export function printableLine(text: string): string {
  return text.replaceAll(ALL, escapeCharacter);
}

/**
 * The text with every unprintable character escaped except line breaks. The value of a JSON text does not change,
 * because JSON contains unprintable characters only in strings.
 */
export function printableLines(text: string): string {
  return text.replaceAll(ALL, (character) => (character === '\n' ? character : escapeCharacter(character)));
}

function escapeCharacter(character: string): string {
  const short = SHORT[character];
  return short ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const SHORT: Readonly<Record<string, string>> = {
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
};
