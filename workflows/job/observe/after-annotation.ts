import { MAX_AWAITED } from '../definitions/chain.ts';
import type { AfterCondition } from '../facts.ts';

export const AFTER_ALLOWED = `a list of at most ${MAX_AWAITED} other Jobs, each once, such as "extract=Succeeded, check=Finished" (Succeeded, Failed or Finished)`;

/** A name that a Job can have (RFC 1123 subdomain), and how it must end. */
const CONDITION =
  /^(?<job>[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?)(?:\s*=\s*(?<end>Succeeded|Failed|Finished))?$/;

/** Reads the value of `jobledger.dev/after`; without an end, Succeeded is meant. Null when it is invalid. */
export function readAfter(text: string): AfterCondition[] | null {
  const conditions: AfterCondition[] = [];
  for (const part of text.split(',')) {
    const { job, end = 'Succeeded' } = CONDITION.exec(part.trim())?.groups ?? {};
    if (job === undefined || conditions.some((each) => each.job === job)) return null;
    conditions.push({ job, end: end as AfterCondition['end'] });
  }
  return conditions.length > MAX_AWAITED ? null : conditions;
}
