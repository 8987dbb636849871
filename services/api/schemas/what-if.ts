import { z } from 'zod';
import { START_RESULTS } from '../../../workflows/history/what-if-starts/types.ts';
import { recordedInstant } from '../../read-model/views/view.ts';

const jobEndSchema = z
  .object({ type: z.string(), reason: z.string(), message: z.string(), at: recordedInstant })
  .meta({ id: 'JobEnd' });

/** A Job's part of the output of `jobledger what-if -o json`. */
export const whatIfSchema = z
  .object({
    job: z.string().describe('cluster/namespace/name'),
    uid: z.string(),
    core: z.string().describe('The version of the core that made the decisions'),
    comparison: z
      .enum(['same', 'different', 'unknown'])
      .describe(
        'same when the Job would have ended in the same way; unknown when the recorded facts do not suffice',
      ),
    message: z.string(),
    actual: jobEndSchema
      .nullable()
      .describe('The end of the Job; null when the Job had not ended by the last recorded event'),
    counterfactual: jobEndSchema
      .nullable()
      .describe(
        'The end under the other policy; null when the Job would not have ended, or its end is unknown',
      ),
    unknown_since: recordedInstant.nullable(),
    pod_hours: z.object({
      actual: z.number(),
      saved: z.number().nullable().describe('Null when the result is unknown'),
    }),
  })
  .meta({ id: 'WhatIf' });

/** One of several Jobs, with its result. */
export const whatIfOfJobSchema = z
  .object({
    cluster: z.string(),
    namespace: z.string(),
    name: z.string(),
    uid: z.string(),
    what_if: whatIfSchema.nullable().describe('Null when there is no result'),
    refused: z.string().nullable().describe('The reason why there is no result'),
  })
  .meta({ id: 'WhatIfOfJob' });

const choiceSchema = z
  .object({
    kind: z
      .enum(['given', 'left', 'shared', 'waited'])
      .describe(
        'given: the cluster got the Job; left: the cluster lost the Job, because no node in it fitted the pods; shared: several clusters got shares of the Job',
      ),
    cluster: z
      .string()
      .nullable()
      .describe('Null when the Job waited, or several clusters got shares of the Job'),
    shares: z
      .record(z.string(), z.int())
      .nullable()
      .describe(
        'The number of pods that may run at once, by cluster; null unless several clusters got shares of the Job',
      ),
    begun: z
      .record(z.string(), z.string())
      .nullable()
      .describe(
        'The indexes of the members that begin with this choice, by cluster; null unless several clusters got shares of the Job',
      ),
    message: z.string(),
  })
  .meta({ id: 'ClusterChoice' });

/** The output of `jobledger what-if --without-cluster … -o json`, without the change. */
export const whatIfPlacementsSchema = z
  .object({
    job: z.string().describe('cluster/namespace/name'),
    uid: z.string(),
    cores: z.array(z.string()).describe('The versions of the core that made the decisions'),
    comparison: z.enum(['same', 'different']),
    choices: z.array(
      z
        .object({
          at: recordedInstant,
          decision_number: z.int().describe('The number of the decision'),
          result: z.enum(['same', 'different', 'unknown']),
          actual: choiceSchema,
          counterfactual: choiceSchema.nullable().describe('Null when the result is unknown'),
        })
        .meta({ id: 'ComparedChoice' }),
    ),
    unknown: z
      .object({ since: recordedInstant, message: z.string() })
      .nullable()
      .describe(
        'The instant since which the result is unknown, and the reason; null when every choice is the same',
      ),
  })
  .meta({ id: 'WhatIfPlacements' });

const fateSchema = z
  .object({
    started_at: recordedInstant.nullable().describe('Null when no Job was created'),
    replaced_at: recordedInstant.nullable().describe('Null when no later start replaced the Job'),
  })
  .meta({ id: 'StartFate' });

/** The output of `jobledger what-if cronjob/NAME -o json`, without the change. */
export const whatIfStartsSchema = z
  .object({
    cron_job: z.string().describe('cluster/namespace/name'),
    uid: z.string(),
    core: z.string().describe('The version of the core that made the decisions'),
    starts: z.array(
      z
        .object({
          scheduled_at: recordedInstant,
          job: z.string(),
          result: z.enum(START_RESULTS),
          message: z.string(),
          actual: fateSchema,
          counterfactual: fateSchema.nullable().describe('Null when the result is unknown'),
        })
        .meta({ id: 'ComparedStart' }),
    ),
    totals: z.record(z.enum(START_RESULTS), z.int()).describe('The number of starts with each result'),
    unknown: z
      .object({ since: recordedInstant, message: z.string() })
      .nullable()
      .describe(
        'The instant since which the result is unknown, and the reason; null when the result is known up to the end of the record',
      ),
  })
  .meta({ id: 'WhatIfStarts' });
