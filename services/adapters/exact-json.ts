import { parse, stringify } from 'lossless-json';

/**
 * JSON with exact integers. JavaScript numbers round integers beyond 2^53, but an API object may contain any int64
 * (`terminationGracePeriodSeconds`). Such an integer is parsed as a bigint and written back as plain digits.
 */
export function parseExact(text: string): unknown {
  return mayHoldLongInteger(text) ? parse(text, null, exactNumber) : JSON.parse(text);
}

/** Works like `JSON.stringify`, but also accepts bigints. `indent`: spaces per level. */
export function stringifyExact(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent);
  } catch (error) {
    // JSON.stringify refuses bigints. Bigints are rare, so a search for them before every call would cost more time
    // than this second serialization.
    if (error instanceof TypeError) return stringify(value, null, indent) ?? 'null';
    throw error;
  }
}

/** Looks for sixteen digits in the position of a value. A match inside a string costs time but does no harm. */
function mayHoldLongInteger(text: string): boolean {
  return SIXTEEN_DIGITS.test(text) && LONG_INTEGER.test(text);
}

const SIXTEEN_DIGITS = /\d{16}/;
const LONG_INTEGER = /(?:^|[\s:,[])-?\d{16,}(?=$|[\s,}\]])/;

function exactNumber(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(digits) ? number : BigInt(digits);
}
