import { z } from 'zod';
import { SPREADS } from '../../what-if-input/placement-change.ts';
import type { PolicyField } from '../../../workflows/history/what-if/types.ts';
import type { StartField } from '../../../workflows/history/what-if-starts/types.ts';
import { textUpTo } from './values.ts';

/** A whole number from 0 to 2^31 - 1. */
const COUNT =
  '(?:0|[1-9]\\d{0,8}|1\\d{9}|20\\d{8}|21[0-3]\\d{7}|214[0-6]\\d{6}|2147[0-3]\\d{5}|21474[0-7]\\d{4}|214748[0-2]\\d{3}|2147483[0-5]\\d{2}|21474836[0-3]\\d|214748364[0-7])';
const SECONDS = '[1-9]\\d{0,14}';

const orNullPattern = (pattern: string): string => `(?:null|${pattern})`;

const memberPattern = (name: string, value: string): string => `"${name}": ?${value}`;
const objectPattern = (...members: string[]): string => `\\{ ?${members.join(', ?')} ?\\}`;
const listPattern = (item: string, most = ''): string => `\\[ ?${item}(?:, ?${item}){0,${most}} ?\\]`;
const oneOfPattern = (...choices: string[]): string => `(?:${choices.join('|')})`;

/** The maximum number of rules of a policy after the first rule. */
const MORE_RULES = '19';

const failureRule = objectPattern(
  memberPattern('action', '"(?:FailJob|FailIndex|Ignore|Count)"'),
  oneOfPattern(
    memberPattern(
      'onExitCodes',
      objectPattern(
        `(?:${memberPattern('containerName', '"[a-z\\d-]{1,63}"')}, ?)?${memberPattern('operator', '"(?:In|NotIn)"')}`,
        memberPattern('values', listPattern('(?:0|[1-9]\\d{0,8})')),
      ),
    ),
    memberPattern(
      'onPodConditions',
      listPattern(
        objectPattern(
          `${memberPattern('type', '"[\\w./-]{1,316}"')}(?:, ?${memberPattern('status', '"(?:True|False|Unknown)"')})?`,
        ),
      ),
    ),
  ),
);
const successRule = oneOfPattern(
  objectPattern(
    `${memberPattern('succeededIndexes', '"[\\d,-]{1,1000}"')}(?:, ?${memberPattern('succeededCount', '[1-9]\\d{0,8}')})?`,
  ),
  objectPattern(memberPattern('succeededCount', '[1-9]\\d{0,8}')),
);
const policyPattern = (rule: string): string =>
  objectPattern(memberPattern('rules', listPattern(rule, MORE_RULES)));

const POLICY_VALUES: Readonly<Record<PolicyField, string>> = {
  parallelism: orNullPattern(COUNT),
  completions: orNullPattern(COUNT),
  activeDeadlineSeconds: orNullPattern(SECONDS),
  backoffLimit: orNullPattern(COUNT),
  backoffLimitPerIndex: orNullPattern(COUNT),
  maxFailedIndexes: orNullPattern(COUNT),
  podReplacementPolicy: orNullPattern('TerminatingOrFailed|Failed'),
  podFailurePolicy: orNullPattern(policyPattern(failureRule)),
  successPolicy: orNullPattern(policyPattern(successRule)),
};

/** The route checks schedules and time zones when it has found the CronJob. */
const START_VALUES: Readonly<Record<StartField, string>> = {
  schedule: '(?:@[a-z]+|[\\w*/,?-]+(?: [\\w*/,?-]+){4})',
  timeZone: orNullPattern('[A-Za-z][\\w+/-]*'),
  startingDeadlineSeconds: orNullPattern(`(?:0|${SECONDS})`),
  concurrencyPolicy: '(?:Allow|Forbid|Replace)',
  suspend: '(?:true|false)',
  successfulJobsHistoryLimit: orNullPattern(COUNT),
  failedJobsHistoryLimit: orNullPattern(COUNT),
};

/** services/what-if-input/spec-change.ts checks the parameter: its messages name the field, and a value may be any JSON. */
function changesParameter(
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

export const policyChanges = changesParameter(POLICY_VALUES, 'backoffLimit=3').describe(
  'Another value of a field in the spec, such as backoffLimit=3. A policy is given as JSON; null removes the field. The parameter may be repeated, once for each field',
);

export const startChanges = changesParameter(START_VALUES, 'schedule=*/20 * * * *').describe(
  'Another value of a field in the spec, such as schedule=@hourly; null removes the field. The parameter may be repeated, once for each field',
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
    'Another price of a cluster per pod and hour, such as west=0.05. The parameter may be repeated, once for each cluster',
  );

export const otherSpread = z
  .enum(SPREADS)
  .optional()
  .describe(
    'For a Job that is spread over several clusters: the quantity that determines the shares of the clusters',
  );
