import { parse, stringify } from 'lossless-json';
import { plainNumbers } from '../../workflows/job/observe/plain-numbers.ts';

/**
 * JSON whose integers keep every digit. JavaScript's own numbers round what lies beyond 2^53, while an API object may have
 * any int64 (`terminationGracePeriodSeconds`): such an integer is a bigint here, and bare digits again when it is written.
 */
export function parseExact(text: string): unknown {
  return mayHoldLongInteger(text) ? parse(text, null, exactNumber) : JSON.parse(text);
}

/** The same as `JSON.stringify`, also of what holds a bigint. */
export function stringifyExact(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // It refuses a bigint; to look for one first would cost more, as there nearly never is one.
    if (error instanceof TypeError) return stringify(value) ?? 'null';
    throw error;
  }
}

/** The value with its integers as the nearest numbers, for who calculates with them; `text` is its JSON. */
export function withNumbers<T>(value: T, text: string): T {
  return mayHoldLongInteger(text) ? plainNumbers(value) : value;
}

/** Sixteen digits at the place of a value: in a string it may look like one, which only costs time. */
function mayHoldLongInteger(text: string): boolean {
  return SIXTEEN_DIGITS.test(text) && LONG_INTEGER.test(text);
}

const SIXTEEN_DIGITS = /\d{16}/;
const LONG_INTEGER = /(?:^|[\s:,[])-?\d{16,}(?=$|[\s,}\]])/;

function exactNumber(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(digits) ? number : BigInt(digits);
}
