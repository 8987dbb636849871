import { z } from 'zod';
import { recordedInstant } from './view.ts';

/** The properties by which the usage of Jobs is summed. */
export const USAGE_GROUPINGS = ['team', 'namespace', 'series', 'cluster', 'waste', 'day', 'hour'] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

const HOURS = z.number().describe('Requested amount × the time for which pods held a node, in hours');

/** What the Jobs of a group used in a period. */
export const USAGE_VIEW = z.object({
  value: z
    .string()
    .nullable()
    .describe(
      'The common property of the group: a day or an hour in UTC, a series with its namespace, or the cause of waste, which is null for time that was not wasted',
    ),
  pod_hours: z.number().describe('Hours for which pods held a node'),
  cpu_core_hours: HOURS,
  memory_gib_hours: HOURS,
  gpu_hours: HOURS,
  wasted_pod_hours: z.number().describe('The part of pod_hours that was wasted'),
  uncertain_pod_hours: z
    .number()
    .describe(
      'The part of pod_hours that lies between the earliest and the latest possible ends of the pods',
    ),
  watched: z
    .number()
    .describe(
      'Share of the hours in which no changes of pods were missed, weighted by pod_hours, from 0 to 1',
    ),
  cost: z
    .string()
    .nullable()
    .describe('The cost in the currency of the prices, as a decimal number; null without prices'),
  wasted_cost: z.string().nullable().describe('The part of cost that was wasted'),
});
export type UsageView = z.infer<typeof USAGE_VIEW>;

/** What Jobs used in a period, in all and by group. */
export const USAGE_BY_GROUP = z
  .object({
    from: recordedInstant.describe('The beginning of the first hour'),
    before: recordedInstant.describe('The end of the last hour'),
    currency: z.string().nullable().describe('The currency of the costs; null without prices'),
    total: USAGE_VIEW.omit({ value: true }).meta({ id: 'Usage' }),
    items: z.array(USAGE_VIEW.meta({ id: 'UsageOfGroup' })),
  })
  .meta({ id: 'UsageByGroup' });
export type UsageByGroup = z.infer<typeof USAGE_BY_GROUP>;
