import { z } from 'zod';
import { SPREADS } from '../../contracts/placement-change.ts';
import type { PolicyField } from '../../../workflows/history/what-if/types.ts';
import type { StartField } from '../../../workflows/history/what-if-starts/types.ts';
import { textUpTo } from './values.ts';

/** Whole numbers from 0 to 2^31 - 1. */
const COUNT =
  '(?:0|[1-9]\\d{0,8}|1\\d{9}|20\\d{8}|21[0-3]\\d{7}|214[0-6]\\d{6}|2147[0-3]\\d{5}|21474[0-7]\\d{4}|214748[0-2]\\d{3}|2147483[0-5]\\d{2}|21474836[0-3]\\d|214748364[0-7])';
const SECONDS = '[1-9]\\d{0,14}';

const orNull = (pattern: string): string => `(?:null|${pattern})`;

const member = (name: string, value: string): string => `"${name}": ?${value}`;
const object = (...members: string[]): string => `\\{ ?${members.join(', ?')} ?\\}`;
const list = (item: string, most = ''): string => `\\[ ?${item}(?:, ?${item}){0,${most}} ?\\]`;
const oneOf = (...choices: string[]): string => `(?:${choices.join('|')})`;

/** The most rules of a policy beyond the first. */
const MORE_RULES = '19';

const failureRule = object(
  member('action', '"(?:FailJob|FailIndex|Ignore|Count)"'),
  oneOf(
    member(
      'onExitCodes',
      object(
        `(?:${member('containerName', '"[a-z\\d-]{1,63}"')}, ?)?${member('operator', '"(?:In|NotIn)"')}`,
        member('values', list('(?:0|[1-9]\\d{0,8})')),
      ),
    ),
    member(
      'onPodConditions',
      list(
        object(
          `${member('type', '"[\\w./-]{1,316}"')}(?:, ?${member('status', '"(?:True|False|Unknown)"')})?`,
        ),
      ),
    ),
  ),
);
const successRule = oneOf(
  object(
    `${member('succeededIndexes', '"[\\d,-]{1,1000}"')}(?:, ?${member('succeededCount', '[1-9]\\d{0,8}')})?`,
  ),
  object(member('succeededCount', '[1-9]\\d{0,8}')),
);
const policy = (rule: string): string => object(member('rules', list(rule, MORE_RULES)));

const POLICY_VALUES: Readonly<Record<PolicyField, string>> = {
  parallelism: orNull(COUNT),
  completions: orNull(COUNT),
  activeDeadlineSeconds: orNull(SECONDS),
  backoffLimit: orNull(COUNT),
  backoffLimitPerIndex: orNull(COUNT),
  maxFailedIndexes: orNull(COUNT),
  podReplacementPolicy: orNull('TerminatingOrFailed|Failed'),
  podFailurePolicy: orNull(policy(failureRule)),
  successPolicy: orNull(policy(successRule)),
};

/** Schedules and time zones are checked when the CronJob is known. */
const START_VALUES: Readonly<Record<StartField, string>> = {
  schedule: '(?:@[a-z]+|[\\w*/,?-]+(?: [\\w*/,?-]+){4})',
  timeZone: orNull('[A-Za-z][\\w+/-]*'),
  startingDeadlineSeconds: orNull(`(?:0|${SECONDS})`),
  concurrencyPolicy: '(?:Allow|Forbid|Replace)',
  suspend: '(?:true|false)',
  successfulJobsHistoryLimit: orNull(COUNT),
  failedJobsHistoryLimit: orNull(COUNT),
};

/** Checked by services/contracts/spec-change.ts, whose messages name the field, and which allows any JSON for a value. */
function changes(
  patterns: Readonly<Record<string, string>>,
  example: string,
): z.ZodUnion<[z.ZodString, z.ZodArray<z.ZodString>]> {
  const fields = Object.entries(patterns).map(([field, value]) => `${field}=${value}`);
  const change = textUpTo(10_000).meta({
    pattern: `^(?:spec\\.)?(?:${fields.join('|')})$`,
    maxLength: 10_000,
    examples: [example],
  });
  const once = Object.keys(patterns).map((field) => ({
    contains: { pattern: `^(?:spec\\.)?${field}=` },
    minContains: 0,
    maxContains: 1,
  }));
  return z.union([change, z.array(change).min(1).meta({ allOf: once })]);
}

export const policyChanges = changes(POLICY_VALUES, 'backoffLimit=3').describe(
  'Another value in the spec, such as backoffLimit=3; a policy as JSON; null removes the field. May be repeated, once for each field',
);

export const startChanges = changes(START_VALUES, 'schedule=*/20 * * * *').describe(
  'Another value in the spec, such as schedule=@hourly; null removes the field. May be repeated, once for each field',
);

/** One value, or several. */
function oneOrSeveral(one: z.ZodString): z.ZodUnion<[z.ZodString, z.ZodArray<z.ZodString>]> {
  return z.union([one, z.array(one).min(1).max(100)]);
}

export const withoutClusters = oneOrSeveral(textUpTo(253).meta({ examples: ['west'] }))
  .optional()
  .describe('A cluster that could not have taken the Job. May be repeated');

export const otherPrices = oneOrSeveral(
  textUpTo(300).meta({ pattern: '^[^=]+=\\d{1,15}(?:\\.\\d{1,15})?$', examples: ['west=0.05'] }),
)
  .optional()
  .describe(
    'Another price of a cluster per pod and hour, such as west=0.05. May be repeated, once for each cluster',
  );

export const otherSpread = z
  .enum(SPREADS)
  .optional()
  .describe('For a Job that is spread over several clusters: what determines their shares');
