import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Hexadecimal digits of a digest: 64 bits, enough to notice every change that is not made on purpose to collide. */
const DIGITS = 16;

/** JSON with the keys of every object in order, so that equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(inKeyOrder(value));
}

/** The first 64 bits of SHA-256 over the canonical JSON, in hexadecimal. */
export function digestOf(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value)))).slice(0, DIGITS);
}

/** Ahead of `JSON.stringify`, which is several times slower when it asks a function about every part. */
function inKeyOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inKeyOrder);
  const record = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(record)
      .sort()
      .map((key) => [key, inKeyOrder(record[key])]),
  );
}
