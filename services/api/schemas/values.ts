import { z } from 'zod';
import { EVENT_TYPES } from '../../adapters/events/event-types.ts';
import { UNPRINTABLE } from '../../adapters/printable.ts';
import { STATUSES, KUBECTL_STATUSES } from '../../read-model/shown/statuses.ts';

/** The schemas of values in paths and queries, whose error messages are shown to callers. */

/** The number of rows on a page: the default and the maximum. */
const [PAGE, LONGEST_PAGE] = [100, 500];

/** The longest page of the pods of one Job. The rows are small, and each page sorts all pods of the Job. */
const LONGEST_PAGE_OF_PODS = 5000;

/** RFC 3339. The time zone is required, because an instant without a time zone is ambiguous. */
const INSTANT = 'an instant with its time zone, such as 2026-04-01T03:12:00Z or 2026-04-01T05:12:00+02:00';

/** The part of RFC 3339 that Postgres accepts: years from 1, nine decimals, and real offsets. */
const STORABLE_INSTANT = /^(?!0000)[^.]*(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;

export const instantParameter = z.iso
  .datetime({ offset: true, error: INSTANT })
  .regex(STORABLE_INSTANT, INSTANT)
  .meta({
    format: 'date-time',
    description: 'An instant with its time zone, RFC 3339',
    examples: ['2026-04-01T03:12:00Z'],
  });

/** A text of 1 to `longest` characters without U+0000, which Postgres cannot store. */
export function textUpTo(longest: number): z.ZodString {
  const message = `1 to ${longest} characters, and must not contain U+0000`;
  return z.string().regex(new RegExp(`^[^\\u0000]{1,${longest}}$`, 'u'), message);
}

/** The name is recorded and shown on one line with other texts, so it must be printable. */
export const userName = z
  .string()
  .regex(
    new RegExp(`^[^${UNPRINTABLE}]{1,200}$`, 'u'),
    '1 to 200 characters, and must not contain control or bidirectional characters',
  )
  .meta({ examples: ['alice'] });

/** Names in Kubernetes are shorter. */
const text = textUpTo(1000);

export const jobName = text.meta({ description: 'The name of the Job', examples: ['pi'] });
export const cronJobName = text.meta({ description: 'The name of the CronJob', examples: ['nightly'] });
export const podNameParameter = text.meta({ description: 'The name of the pod', examples: ['pi-x7k2p'] });
export const clusterName = text.meta({
  description: 'The name of the cluster in the ledger',
  examples: ['local'],
});
export const namespaceName = text.meta({ description: 'The namespace of the Job', examples: ['default'] });
export const jobUid = text.meta({
  description: 'The metadata.uid of the Job, if several Jobs had the name. The default is the newest Job',
  examples: ['0d76047d-d315-47c6-b3ef-862f56a8fc33'],
});

/** A whole number, from 1 by default, with an optional maximum. */
export function wholeNumber(largest = Number.MAX_SAFE_INTEGER, smallest = 1): z.ZodType<number> {
  const message =
    largest === Number.MAX_SAFE_INTEGER
      ? `a whole number from ${smallest}`
      : `a whole number from ${smallest} to ${largest}`;
  const number = z.number(message).int(message).min(smallest, message).max(largest, message);
  // Only digits are allowed, because `Number` would also accept "", " 5", "0x10" and "1e2".
  return z.preprocess((given) => (/^\d+$/.test(String(given)) ? Number(given) : given), number);
}

export const limit = wholeNumber(LONGEST_PAGE)
  .default(PAGE)
  .describe('The maximum number of rows on a page; a page of long events has fewer rows');
export const limitOfPods = wholeNumber(LONGEST_PAGE_OF_PODS)
  .default(PAGE)
  .describe('The maximum number of rows on a page');

export const decisionNumber = wholeNumber().describe('The number of a decision');

/** The largest index that Kubernetes allows. */
const LARGEST_INDEX = 2 ** 31 - 2;

export const completionIndex = wholeNumber(LARGEST_INDEX, 0).describe('A completion index of an Indexed Job');

/**
 * The schema of one or several known words, separated by commas. Unknown words are rejected, because a typo would silently match
 * nothing.
 */
function listSchema(known: readonly string[], description: string): z.ZodType<string[], string> {
  const word = `(?:${known.map((each) => each.replaceAll('.', '\\.')).join('|')})`;
  return z
    .string()
    .regex(new RegExp(`^${word}(?:,${word})*$`), `valid values: ${known.join(', ')}`)
    .meta({ examples: [known.slice(0, 2).join(',')] })
    .transform((given) => given.split(','))
    .describe(`${description}, separated by commas: ${known.join(', ')}`);
}

export const eventTypes = listSchema(EVENT_TYPES, 'Types of events');

export const kubectlStatuses = listSchema(KUBECTL_STATUSES, 'Statuses as kubectl shows them');

const someStatuses = listSchema(STATUSES, 'Statuses');

/** The parameter may also be repeated. */
export const statuses = z
  .union([someStatuses, z.array(someStatuses).transform((given) => given.flat())])
  .describe(`Statuses, separated by commas or in repeated parameters: ${STATUSES.join(', ')}`);

/** Identifies a Job beyond its name; a missing part matches anything, as on the command line. */
export const whichJob = {
  cluster: clusterName.optional(),
  namespace: namespaceName.optional(),
  uid: jobUid.optional(),
};

/** The items of a page, and the cursor of the next page. */
export function pageSchema<S extends z.ZodType>(
  item: S,
): z.ZodObject<{ items: z.ZodArray<S>; next: z.ZodNullable<z.ZodString> }> {
  return z.object({
    items: z.array(item),
    next: z
      .string()
      .nullable()
      .describe(
        'Pass this value as `cursor` for the next page, even if this page has fewer items than `limit`; null on the last page',
      ),
  });
}
