import { z } from 'zod';
import { recordedInstant } from '../../read-model/views/view.ts';

const because = z.array(z.string()).describe('The ids of the causes');

/** The output of `jobledger why -o json`. */
export const whySchema = z
  .object({
    job: z.string().describe('cluster/namespace/name'),
    about: z.string(),
    answers: z.array(z.object({ question: z.string(), message: z.string(), because })),
    causes: z
      .array(
        z.object({
          id: z
            .string()
            .describe(
              'The id of an event; for a command or a wait, the id of its decision with the place in the decision',
            ),
          at: recordedInstant,
          about: z.string(),
          message: z.string(),
          rule: z.string().nullable(),
          because,
        }),
      )
      .describe('The causes of answers and waits, each once, from the latest to the roots'),
    waits: z
      .array(
        z.object({
          since: recordedInstant,
          until: recordedInstant.nullable(),
          message: z.string(),
          rule: z.string().nullable(),
          because,
        }),
      )
      .describe('The waits and gaps, with their reasons'),
  })
  .meta({ id: 'Why' });
