import { createHash } from 'node:crypto';
import { canonicalJson, DIGITS } from '../../../workflows/ledger/digest.ts';

/** Computes the same digest as the core's `computeDigest`, but with Node's module `crypto`, which the core cannot use. */
export function computeDigest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, DIGITS);
}
