import { countText } from '../words/count-text.ts';

const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth'];

/** `third` for 3, `12th` for 12. */
export function ordinal(count: number): string {
  const teen = count % 100 >= 11 && count % 100 <= 13;
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return ORDINALS[count] ?? `${count}${ending}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listText(texts: readonly string[]): string {
  if (texts.length < 2) return texts.join('');
  return `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}

/** If there are more indexes than this number, the text has their number instead of the indexes. */
const NAMED = 6;

/** `Index 3, 5 and 8`, or `14 indexes`. */
export function spokenIndexes(indexes: readonly number[]): string {
  if (indexes.length === 0 || indexes.length > NAMED) return countText(indexes.length, 'index', 'indexes');
  return `${indexes.length === 1 ? 'Index' : 'Indexes'} ${listText(indexes.map(String))}`;
}
