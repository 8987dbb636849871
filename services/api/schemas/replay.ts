import { z } from 'zod';
import { recordedInstant } from './values.ts';

const anything = z.looseObject({});

/** As `jobledger replay -o json` prints it. */
export const replaySchema = z
  .object({
    event: z.string().describe('The last event that is folded'),
    at: recordedInstant.describe('When it was recorded'),
    events: z.int(),
    decisions: z.int().describe('Decisions that stand'),
    core: z.string().describe('Version of the core that made it again: the one that decided last by then'),
    state: anything.describe(
      'Everything that the core knows of the Job there; its status is state.job.status',
    ),
    followed: z
      .object({
        decision: z.string(),
        number: z.int(),
        at: recordedInstant,
        commands: z.array(anything),
        waiting: z.looseObject({ rule: z.string(), words: z.string() }).nullable(),
        status: anything.nullable(),
      })
      .nullable()
      .describe('The decision that was recorded next, and the status that it wrote'),
    otherwise: z
      .array(anything)
      .describe('Decisions that come out otherwise when the core that made them makes them again'),
  })
  .meta({ id: 'Replay' });

/** As `jobledger replay --step -o json` prints it. */
export const replayStepSchema = z
  .object({
    event: z.string(),
    time: recordedInstant,
    about: z.string(),
    words: z.string(),
    below: z.array(z.string()).optional(),
    changes: z.array(
      z.object({ path: z.array(z.string()), from: z.unknown().optional(), to: z.unknown().optional() }),
    ),
  })
  .meta({ id: 'ReplayStep' });
