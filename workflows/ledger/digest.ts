import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * The number of hexadecimal digits of a digest: 64 bits suffice against accidental collisions, but not against
 * deliberate collisions.
 */
export const DIGITS = 16;

/**
 * Serialises a value as JSON with sorted keys, so that equal values give equal texts. A bigint is written as its
 * digits.
 */
export function canonicalJson(value: unknown): string {
  const ordered = inKeyOrder(value);
  try {
    return JSON.stringify(ordered);
  } catch {
    // `JSON.stringify` throws an error for a bigint, which is rare.
    return toCanonicalText(ordered);
  }
}

/** Serialises a value like `JSON.stringify`, but also accepts bigints. */
function toCanonicalText(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(toCanonicalText).join(',')}]`;
  const members = Object.entries(value).filter(([, part]) => part !== undefined);
  return `{${members.map(([key, part]) => `${JSON.stringify(key)}:${toCanonicalText(part)}`).join(',')}}`;
}

/** True when two values have the same canonical JSON; the values are not serialised. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  return (
    Object.keys(a).every((key) => isSameJson(a[key], b[key])) &&
    Object.keys(b).every((key) => b[key] === undefined || a[key] !== undefined)
  );
}

/** The first 64 bits of SHA-256 over the canonical JSON, in hexadecimal. */
export function computeDigest(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value)))).slice(0, DIGITS);
}

/** Sorts keys before `JSON.stringify`, which is several times slower with a replacer function. */
function inKeyOrder(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return value.map(inKeyOrder);
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, inKeyOrder(value[key])]),
  );
}

/** True for an object or a list. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
