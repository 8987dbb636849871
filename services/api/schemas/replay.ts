import { z } from 'zod';
import { recordedInstant } from '../../read-model/views/view.ts';

const anything = z.looseObject({});

/** The output of `jobledger replay -o json`. */
export const replaySchema = z
  .object({
    event: z.string().describe('The last folded event'),
    at: recordedInstant.describe('The instant when the event was recorded'),
    event_count: z.int().describe('The number of folded events'),
    decision_count: z.int().describe('The number of decisions that are not superseded'),
    core: z
      .string()
      .describe('The version of the core that folded the events, which is the version of the last decision'),
    state: anything.describe("The core's state of the Job; its status is state.job.status"),
    followed: z
      .object({
        decision: z.string(),
        number: z.int(),
        at: recordedInstant,
        commands: z.array(anything),
        waiting: z.looseObject({ rule: z.string(), message: z.string() }).nullable(),
        status: anything.nullable(),
      })
      .nullable()
      .describe('The decision that was recorded next, and the status that it wrote'),
    different: z.array(anything).describe('The decisions that differ when the same core repeats them'),
  })
  .meta({ id: 'Replay' });

/** The output of `jobledger replay --step -o json`. */
export const replayStepSchema = z
  .object({
    event: z.string(),
    time: recordedInstant,
    about: z.string(),
    message: z.string(),
    below: z.array(z.string()).optional(),
    changes: z.array(
      z.object({ path: z.array(z.string()), from: z.unknown().optional(), to: z.unknown().optional() }),
    ),
  })
  .meta({ id: 'ReplayStep' });
