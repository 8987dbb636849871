import { z } from 'zod';
import { POLICY_FIELDS, type PolicyChange, type PolicyField } from '../../workflows/history/what-if/types.ts';
import { changeParser } from './spec-change.ts';

const count = z.int().min(0).max(2_147_483_647);

const failureRule = z
  .strictObject({
    action: z.enum(['FailJob', 'FailIndex', 'Ignore', 'Count']),
    onExitCodes: z
      .strictObject({
        containerName: z.string().optional(),
        operator: z.enum(['In', 'NotIn']),
        values: z.array(z.int()).min(1),
      })
      .optional(),
    onPodConditions: z
      .array(z.strictObject({ type: z.string(), status: z.string().default('True') }))
      .optional(),
  })
  .refine((rule) => (rule.onExitCodes === undefined) !== (rule.onPodConditions === undefined), {
    error: 'a rule has either onExitCodes or onPodConditions',
  });

const successRule = z
  .strictObject({ succeededIndexes: z.string().optional(), succeededCount: z.int().min(1).optional() })
  .refine((rule) => rule.succeededIndexes !== undefined || rule.succeededCount !== undefined, {
    error: 'a rule has succeededIndexes, succeededCount or both',
  });

/** The API server's validation of the fields (J-1.2 ff.). */
const SCHEMAS = {
  parallelism: count.nullable(),
  completions: count.nullable(),
  activeDeadlineSeconds: z.int().min(1).nullable(),
  backoffLimit: count.nullable(),
  backoffLimitPerIndex: count.nullable(),
  maxFailedIndexes: count.nullable(),
  podReplacementPolicy: z.enum(['TerminatingOrFailed', 'Failed']).nullable(),
  podFailurePolicy: z.strictObject({ rules: z.array(failureRule).min(1).max(20) }).nullable(),
  successPolicy: z.strictObject({ rules: z.array(successRule).min(1).max(20) }).nullable(),
} satisfies Readonly<Record<PolicyField, z.ZodType>>;

/** Fields of a Job that cannot be varied, with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  template: 'no fact shows what other pods would have done',
  suspend: 'no fact shows when it would have been resumed',
  completionMode: 'it would have had different pods',
  selector: 'it would have had different pods',
  manualSelector: 'it would have had different pods',
  managedBy: 'another controller would have controlled it',
  ttlSecondsAfterFinished: "it does not affect a Job's end",
};

/** Parses the alternative policy of a Job. */
export const policyChange = changeParser<PolicyChange>({
  fields: POLICY_FIELDS,
  schemas: SCHEMAS,
  others: OTHERS,
  example: 'spec.backoffLimit=3',
});
