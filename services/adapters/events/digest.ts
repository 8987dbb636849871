import { createHash } from 'node:crypto';
import { canonicalJson, DIGITS } from '../../../workflows/job/definitions/digest.ts';

/** The core's `computeDigest`, computed by Node instead of JavaScript: the core runs without Node's modules. */
export function computeDigest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, DIGITS);
}
