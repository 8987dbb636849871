import { z } from 'zod';
import { EVENT_TYPES } from '../../adapters/event-types.ts';
import { STATUS_WORDS } from '../../read-model/status-words.ts';

/** Values in paths and queries. Callers see the error messages. */

/** Rows per page: default and maximum. */
const [PAGE, LONGEST_PAGE] = [100, 500];

/** RFC 3339. The time zone is required, because an instant without it is ambiguous. */
export const instantParameter = z.iso
  .datetime({
    offset: true,
    error: 'an instant with its time zone, such as 2026-04-01T03:12:00Z or 2026-04-01T05:12:00+02:00',
  })
  .describe('An instant with its time zone, RFC 3339');

/** Names in Kubernetes are shorter, and Postgres cannot store U+0000. */
const text = z
  .string()
  .min(1)
  .max(1000)
  .refine((given) => !given.includes('\u0000'), 'must not contain U+0000');

export const jobName = text.describe('Name of the Job');
export const podNameParameter = text.describe('Name of the pod');
export const clusterName = text.describe('Name of the cluster in the ledger');
export const namespaceName = text.describe('Namespace of the Job');
export const jobUid = text.describe(
  'metadata.uid of the Job, when a name was used more than once (default: the newest)',
);

/** A whole number from 1, with an optional maximum. */
function wholeNumber(largest?: number): z.ZodCoercedNumber {
  const words = largest === undefined ? 'a whole number from 1' : `a whole number from 1 to ${largest}`;
  const number = z.coerce.number(words).int(words).min(1, words);
  return largest === undefined ? number : number.max(largest, words);
}

export const limit = wholeNumber(LONGEST_PAGE).default(PAGE).describe('Rows per page');

export const decisionNumber = wholeNumber().describe('Number of a decision');

export const cursor = text.max(2000).describe('`next` of the previous page');

/**
 * One or several known words, separated by commas. Unknown words are rejected, because a typo would silently match
 * nothing.
 */
function wordsOf(known: readonly string[], what: string): z.ZodType<string[], string> {
  return z
    .string()
    .transform((given) => given.split(','))
    .refine((words) => words.every((word) => known.includes(word)), `valid values: ${known.join(', ')}`)
    .describe(`${what}, separated by commas: ${known.join(', ')}`);
}

export const eventTypes = wordsOf(EVENT_TYPES, 'Types of events');

export const jobStatuses = wordsOf(STATUS_WORDS, 'Status words');

/** Identifies a Job beyond its name; a missing part matches anything, as on the command line. */
export const whichJob = {
  cluster: clusterName.optional(),
  namespace: namespaceName.optional(),
  uid: jobUid.optional(),
};

/** The items of a page, and the cursor of the next one. */
export function pageOf<S extends z.ZodType>(
  item: S,
): z.ZodObject<{ items: z.ZodArray<S>; next: z.ZodNullable<z.ZodString> }> {
  return z.object({
    items: z.array(item),
    next: z
      .string()
      .nullable()
      .describe('Pass it as `cursor` for the next page; null: this is the last page'),
  });
}
