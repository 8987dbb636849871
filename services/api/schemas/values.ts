import { z } from 'zod';
import { EVENT_TYPES } from '../../adapters/event-codec.ts';
import { STATUS_WORDS } from '../../read-model/status-words.ts';

/** Values that stand in paths and queries. Their messages are what a caller reads. */

/** Rows of a page: how many when nothing is said, and how many at most. */
const [PAGE, LONGEST_PAGE] = [100, 500];

/** RFC 3339; without a time zone an instant means something else to everybody. */
export const instantParameter = z.iso
  .datetime({
    offset: true,
    error: 'an instant with its time zone, such as 2026-04-01T03:12:00Z or 2026-04-01T05:12:00+02:00',
  })
  .describe('An instant with its time zone, RFC 3339');

/** An instant in an answer. */
export const recordedInstant = z.iso.datetime({ offset: true });

/** No name in Kubernetes is longer, and Postgres stores no U+0000. */
const text = z
  .string()
  .min(1)
  .max(1000)
  .refine((given) => !given.includes('\u0000'), 'no text: it holds U+0000');

export const jobName = text.describe('Name of the Job');
export const podNameParameter = text.describe('Name of the pod');
export const clusterName = text.describe('Name of the cluster in the ledger');
export const namespaceName = text.describe('Namespace of the Job');
export const jobUid = text.describe(
  'metadata.uid of the Job: which one, where a name was used again (default: the newest)',
);

/** From 1 on, up to a largest one where there is one. */
function wholeNumber(largest?: number): z.ZodCoercedNumber {
  const words = largest === undefined ? 'a whole number from 1' : `a whole number from 1 to ${largest}`;
  const number = z.coerce.number(words).int(words).min(1, words);
  return largest === undefined ? number : number.max(largest, words);
}

export const limit = wholeNumber(LONGEST_PAGE).default(PAGE).describe('Rows of a page');

export const decisionNumber = wholeNumber().describe('Number of a decision');

export const cursor = text.max(2000).describe('`next` of the page before');

/** One or several of these words, separated by commas: a misspelt one would silently find nothing. */
function wordsOf(known: readonly string[], what: string): z.ZodType<string[], string> {
  return z
    .string()
    .transform((given) => given.split(','))
    .refine((words) => words.every((word) => known.includes(word)), `there are ${known.join(', ')}`)
    .describe(`${what}, separated by commas: ${known.join(', ')}`);
}

export const eventTypes = wordsOf(EVENT_TYPES, 'Types of events');

export const jobStatuses = wordsOf(STATUS_WORDS, 'One or several words');

/** Which Job a name means: what is left out may be anything, as on the command line. */
export const whichJob = {
  cluster: clusterName.optional(),
  namespace: namespaceName.optional(),
  uid: jobUid.optional(),
};

/** Items, and where the next page begins. */
export function pageOf<S extends z.ZodType>(
  item: S,
): z.ZodObject<{ items: z.ZodArray<S>; next: z.ZodNullable<z.ZodString> }> {
  return z.object({
    items: z.array(item),
    next: z.string().nullable().describe('Give it as `cursor` for the next page; null: this is the last'),
  });
}
