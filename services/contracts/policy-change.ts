import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { POLICY_FIELDS, type PolicyChange, type PolicyField } from '../../workflows/history/what-if/types.ts';
import { InputError, messageOf } from '../adapters/errors.ts';
import { parseYaml } from '../adapters/kubernetes/yaml.ts';

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

/** The API server's validation (J-1.2 ff.). */
const SCHEMAS: Readonly<Record<PolicyField, z.ZodType>> = {
  parallelism: count,
  completions: count,
  activeDeadlineSeconds: z.int().min(1),
  backoffLimit: count,
  backoffLimitPerIndex: count,
  maxFailedIndexes: count,
  podReplacementPolicy: z.enum(['TerminatingOrFailed', 'Failed']),
  podFailurePolicy: z.strictObject({ rules: z.array(failureRule).min(1).max(20) }),
  successPolicy: z.strictObject({ rules: z.array(successRule).min(1).max(20) }),
};

/** Fields of a Job that cannot be varied, with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  template: 'no fact shows what other pods would have done',
  suspend: 'no fact shows when it would have been resumed',
  completionMode: 'it would have had different pods',
  selector: 'it would have had different pods',
  manualSelector: 'it would have had different pods',
  managedBy: 'another controller would have driven it',
  ttlSecondsAfterFinished: 'it does not affect how a Job ends',
};

/**
 * Parses the alternative policy: `path=value` with a value in JSON or plain text; `path=FILE` with a YAML or JSON file.
 * `option`: what the reader of an error calls the first kind. @throws InputError for an invalid path or value.
 */
export function policyChange(
  sets: readonly string[],
  files: readonly string[] = [],
  option = '--set',
): PolicyChange {
  const entries = [
    ...sets.map((text) => entryOf(option, text, fromText)),
    ...files.map((text) => entryOf(`${option}-file`, text, fromFile)),
  ];
  const [field] = entries.map(([each]) => each).filter((each, at, all) => all.indexOf(each) !== at);
  if (field !== undefined) throw new InputError(`spec.${field} is set twice`);
  if (entries.length === 0) throw new InputError(`give a change, for example ${option} spec.backoffLimit=3`);
  return Object.fromEntries(entries);
}

function entryOf(option: string, text: string, read: (value: string) => unknown): [PolicyField, unknown] {
  const [, path = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const field = fieldOf(option, text, path);
  const parsed = SCHEMAS[field].nullable().safeParse(unwrapped(read(value), field));
  if (parsed.success) return [field, parsed.data];
  const issues = parsed.error.issues.map(({ path: at, message }) => [...at, message].join(': '));
  throw new InputError(`${option} ${text}: spec.${field} is invalid: ${issues.join('; ')}`);
}

function fieldOf(option: string, text: string, path: string): PolicyField {
  const name = path.replace(/^spec\./, '');
  const field = POLICY_FIELDS.find((each) => each === name);
  if (field !== undefined) return field;
  const known = `it is one of ${POLICY_FIELDS.map((each) => `spec.${each}`).join(', ')}`;
  if (path === '') throw new InputError(`${option} ${text}: write path=value; the path: ${known}`);
  const why = OTHERS[name.split('.')[0] ?? ''];
  if (why !== undefined) throw new InputError(`${option} ${text}: ${path} cannot be varied: ${why}`);
  throw new InputError(`${option} ${text}: there is no path "${path}"; ${known}`);
}

function fromText(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Accepts the policy nested under its own name, as it appears in a Job. */
function unwrapped(value: unknown, field: PolicyField): unknown {
  return typeof value === 'object' && value !== null && field in value
    ? (value as Readonly<Record<string, unknown>>)[field]
    : value;
}

function fromFile(file: string): unknown {
  try {
    return parseYaml(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new InputError(`${file} cannot be read: ${messageOf(error)}`);
  }
}
