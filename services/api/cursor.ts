import { z } from 'zod';

/** The end of a page: the ordering values of the last row. */
export type PageCursor = readonly string[];

/** Between the values. */
const SEPARATOR = '~';

const DATE = z.regexes.date.source.replaceAll(/^\^|\$$/g, '');

/** The kinds of values in a cursor, each as a regular expression of the encoded text. */
export const PARTS = {
  /** Any text without U+0000. A character outside of `[\w.:-]` is encoded as `*` and four digits for each unit of UTF-16. */
  text: String.raw`(?:[\w.:-]|\*(?:[1-9a-f][\da-f]{3}|0[1-9a-f][\da-f]{2}|00[1-9a-f][\da-f]|000[1-9a-f]))*`,
  number: String.raw`\d{1,9}`,
  offset: String.raw`\d{1,18}`,
  instant: String.raw`(?!0000)${DATE}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z`,
} as const;

/** The text of a cursor, in characters that a URL can contain as they are. */
export function toCursor(place: PageCursor): string {
  return place.map(encodePart).join(SEPARATOR);
}

/** The query parameter for a cursor of the given values. `example` contains the values of a row. */
export function cursorParameter(
  parts: readonly string[],
  example: PageCursor,
): z.ZodType<PageCursor, string> {
  return z
    .string()
    .regex(new RegExp(`^${parts.join(SEPARATOR)}$`), 'pass the value `next` of the previous page unchanged')
    .meta({ examples: [toCursor(example)] })
    .transform((text): PageCursor => text.split(SEPARATOR).map(decodePart))
    .describe('The value `next` of the previous page, unchanged');
}

/** The cursor of a list in the order of cluster, namespace, name and uid. */
export const namedCursor = cursorParameter(
  [PARTS.text, PARTS.text, PARTS.text, PARTS.text],
  ['local', 'default', 'pi', '0d76047d-d315-47c6-b3ef-862f56a8fc33'],
);

function encodePart(value: string): string {
  return value.replaceAll(/[^\w.:-]/g, (unit) => `*${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function decodePart(part: string): string {
  return part.replaceAll(/\*([\da-f]{4})/g, (_all, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** Makes a page from rows that were selected with `limit + 1`. */
export function pageFrom<Row>(
  found: readonly Row[],
  limit: number,
  place: (last: Row) => PageCursor,
  isCut = false,
): { items: Row[]; next: string | null } {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    next: (isCut || found.length > limit) && last !== undefined ? toCursor(place(last)) : null,
  };
}
