/** The parts of a text that vary between repetitions: quoted parts, lists in braces and brackets, and numbers and names. */
const VARYING = [
  /"[^"]*"|'[^' ]*'|`[^`]*`/g,
  /\{[^{}]*\}|\[[^[\]]*\]/g,
  // A word with a digit, or a name: words that are joined by a character of names, paths and addresses.
  /\S*\d\S*/g,
  /[a-z~%]+(?:[-_./:=@]+[a-z~%]+)+/g,
];

/**
 * The kind of a text: its words without numbers, names and durations, in clauses whose order and repetition make no
 * difference. The scheduler sorts the clauses of a text by the numbers in them.
 */
export function textKind(text: string): string {
  const fixed = VARYING.reduce((rest, varying) => rest.replace(varying, ' '), text.toLowerCase());
  const clauses = fixed.split(/[,.;:]/).map((clause) => clause.replace(/[^\p{L}'()]+/gu, ' ').trim());
  return [...new Set(clauses.filter((clause) => clause !== ''))].toSorted().join('; ');
}
