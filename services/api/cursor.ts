import { ProblemError } from '../adapters/http/problem.ts';

/** Where a page ended: the values by which its rows are ordered. To a caller it is one opaque word. */
export type PageCursor = readonly string[];

export function cursorOf(place: PageCursor): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** The place of a cursor, or null for none. @throws ProblemError for a word that is no cursor of `length` values. */
export function placeOf(cursor: string | undefined, length: number): PageCursor | null {
  if (cursor === undefined) return null;
  const values = parsed(cursor);
  if (Array.isArray(values) && values.length === length && values.every((each) => typeof each === 'string'))
    return values;
  throw new ProblemError('bad-request', 'cursor: give the `next` of the page before, as it is');
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** A page of the rows that were found when one more was asked for than the page holds. */
export function pageFrom<Row>(
  found: readonly Row[],
  limit: number,
  place: (last: Row) => PageCursor,
): { items: Row[]; next: string | null } {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last !== undefined ? cursorOf(place(last)) : null };
}
