import { ProblemError } from '../adapters/http/problem.ts';

/** The end of a page: the ordering values of the last row. Opaque to callers. */
export type PageCursor = readonly string[];

export function cursorOf(place: PageCursor): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** Decodes a cursor; null for none. @throws ProblemError when the text is not a cursor of `length` values. */
export function placeOf(cursor: string | undefined, length: number): PageCursor | null {
  if (cursor === undefined) return null;
  const values = parsed(cursor);
  if (Array.isArray(values) && values.length === length && values.every((each) => typeof each === 'string'))
    return values;
  throw wrongCursor();
}

export function wrongCursor(): ProblemError {
  return new ProblemError('bad-request', 'cursor: pass the `next` of the previous page unchanged');
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** Makes a page from rows that were selected with `limit + 1`. */
export function pageFrom<Row>(
  found: readonly Row[],
  limit: number,
  place: (last: Row) => PageCursor,
): { items: Row[]; next: string | null } {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last !== undefined ? cursorOf(place(last)) : null };
}
