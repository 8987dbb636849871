import { z } from 'zod';
import { SELECTOR, SELECTOR_EXPECTED, selectorIn } from '../read-model/queries/label-selector.ts';
import type { JobsFilter } from './queries/jobs.ts';
import * as values from './schemas/values.ts';

/** A label as `key=value`; the parameter may be repeated. */
const LABEL = String.raw`^[^=\s\u0000]{1,317}=[^=\s\u0000]{0,63}$`;
const label = z
  .string()
  .regex(new RegExp(LABEL, 'u'), 'key=value')
  .meta({ examples: ['team=maths'] });

const selector = z
  .string()
  .max(2000)
  .refine(isSelector, SELECTOR_EXPECTED)
  .meta({
    description: 'A label selector in the syntax of kubectl, such as "team in (a, b),!legacy"',
    pattern: SELECTOR,
    examples: ['team in (a, b),!legacy'],
  });

/** The query parameters that filter Jobs in every route about several Jobs. */
export const filterFields = {
  cluster: values.clusterName.optional(),
  namespace: values.namespaceName.optional(),
  name: values.jobName.optional(),
  uid: values.jobUid.optional(),
  text: values
    .textUpTo(253)
    .optional()
    .meta({ description: 'A part of the name, in upper or lower case', examples: ['pi'] }),
  status: values.statuses.optional(),
  kubectl_status: values.kubectlStatuses.optional(),
  reason: values
    .textUpTo(1000)
    .optional()
    .meta({
      description:
        'The reason why the Job failed or is failing, without numbers of pods, as GET /v1/groups?by=reason returns it',
      examples: ['BackoffLimitExceeded'],
    }),
  label: z
    .union([label, z.array(label)])
    .optional()
    .describe('A label as key=value. The parameter may be repeated; all labels must match'),
  selector: selector.optional(),
  owner: values
    .textUpTo(320)
    .optional()
    .meta({
      description:
        'The object that controls the Job: its name, or its kind and name, such as CronJob/nightly',
      examples: ['CronJob/nightly'],
    }),
  created_from: values.instantParameter.optional(),
  created_before: values.instantParameter.optional(),
  finished_from: values.instantParameter.optional(),
  finished_before: values.instantParameter.optional(),
  deleted: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Include deleted Jobs. With status=Deleted, Jobs with this status are included in any case'),
  members: z
    .enum(['true', 'false'])
    .default('false')
    .describe(
      'Include the members of placed Jobs, which are the Jobs in the clusters where the placed Jobs run. With a uid, this parameter is not needed',
    ),
};

const filterQuery = z.object(filterFields);
type FilterQuery = z.infer<typeof filterQuery>;

/** Converts the query parameters to a filter. */
export function toJobsFilter(query: FilterQuery): JobsFilter {
  const labels = [query.label ?? []].flat().map((each) => each.split('=') as [string, string]);
  return {
    cluster: query.cluster,
    namespace: query.namespace,
    name: query.name,
    uid: query.uid,
    text: query.text,
    status: query.status,
    kubectlStatus: query.kubectl_status,
    reason: query.reason,
    labels: Object.fromEntries(labels),
    selector: query.selector === undefined ? [] : selectorIn(query.selector),
    owner: query.owner === undefined ? undefined : ownerIn(query.owner),
    createdFrom: query.created_from,
    createdBefore: query.created_before,
    finishedFrom: query.finished_from,
    finishedBefore: query.finished_before,
    deleted: query.deleted === 'true' || query.status?.includes('Deleted') === true,
    members: query.members === 'true' || query.uid !== undefined,
  };
}

function isSelector(text: string): boolean {
  try {
    selectorIn(text);
    return true;
  } catch {
    return false;
  }
}

/** Splits a text at its first slash, because a name has no slash. */
function ownerIn(text: string): { kind?: string; name: string } {
  const slash = text.indexOf('/');
  return slash < 0 ? { name: text } : { kind: text.slice(0, slash), name: text.slice(slash + 1) };
}
