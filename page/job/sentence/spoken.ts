import { countText } from '../../components/count-text.ts';

const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth'];

/** An ordinal number as text, such as `third` for 3 and `12th` for 12. */
export function ordinal(count: number): string {
  const teen = count % 100 >= 11 && count % 100 <= 13;
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return ORDINALS[count] ?? `${count}${ending}`;
}

/** A list as text, such as `a`, `a and b`, or `a, b and c`. */
export function listText(texts: readonly string[]): string {
  if (texts.length < 2) return texts.join('');
  return `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}

/** The largest number of indexes that a text names; for more indexes, the text has only their number. */
const NAMED = 6;

/** The indexes as text, such as `Indexes 3, 5 and 8`; only their number, such as `14 indexes`, if there are many. */
export function spokenIndexes(indexes: readonly number[]): string {
  if (indexes.length === 0 || indexes.length > NAMED) return countText(indexes.length, 'index', 'indexes');
  return `${indexes.length === 1 ? 'Index' : 'Indexes'} ${listText(indexes.map(String))}`;
}
