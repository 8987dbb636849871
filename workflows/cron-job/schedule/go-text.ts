/** Whitespace as Go's `unicode.IsSpace` defines it. */
const SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** Splits a text at whitespace, like Go's `strings.Fields`. */
export function splitFields(text: string): string[] {
  return text.split(SPACE).filter((field) => field !== '');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': String.raw`\a`,
  '\b': String.raw`\b`,
  '\f': String.raw`\f`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
  '\v': String.raw`\v`,
  '\\': '\\\\',
  '"': String.raw`\"`,
};

/**
 * Control characters, characters without a shape, spaces other than U+0020, and private-use characters; the list is
 * fixed, because the classes of the JavaScript engine change with its version of Unicode.
 */
const UNPRINTABLE =
  /[\u0080-\u00a0\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ud800-\uf8ff\ufeff\ufff9-\ufffb\ufffe\uffff\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e00ff}\u{e01f0}-\u{10ffff}]/u;

/** Quotes a text like Go's `strconv.Quote`, which the texts of Events and errors use (`%q`). */
export function quoted(text: string): string {
  return `"${Array.from(text).map(escapeCharacter).join('')}"`;
}

/** The escape sequence of a character, as Go writes it; a printable character stays as it is. */
function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (ESCAPES[character] !== undefined) return ESCAPES[character];
  if (code < 0x20 || code === 0x7f) return String.raw`\x${hex(code, 2)}`;
  if (!UNPRINTABLE.test(character)) return character;
  return code > 0xffff ? String.raw`\U${hex(code, 8)}` : String.raw`\u${hex(code, 4)}`;
}

/** The hexadecimal digits of a character code, padded with zeros. */
function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
