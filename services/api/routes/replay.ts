import { z } from 'zod';
import type { JobEvent } from '../../../workflows/job/events.ts';
import type { Point } from '../../../workflows/history/replay/point.ts';
import { replaySteps } from '../../../workflows/history/replay/replay-steps.ts';
import { replayTo } from '../../../workflows/history/replay/replay-to.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import type { Places } from '../../adapters/places.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { replayJson } from '../../contracts/former-names.ts';
import { streamOf } from '../../read-model/stream.ts';
import { jobOf, type NamedJob, type ReadTransaction } from '../reads.ts';
import { replaySchema, replayStepSchema } from '../schemas/replay.ts';
import * as values from '../schemas/values.ts';
import { answered, requireShort } from '../short-streams.ts';

const querystring = z
  .strictObject({
    ...values.whichJob,
    at: values.instantParameter
      .optional()
      .describe('Replay events recorded up to this instant; give either at or until'),
    until: values
      .textUpTo(1000)
      .optional()
      .describe('Replay up to this event: its id, or the number of a decision'),
  })
  .refine(({ at, until }) => at === undefined || until === undefined, 'give either at or until');

/** A Job's state, rebuilt by folding its stream; corresponds to `jobledger replay`. */
export function addReplayRoutes(server: HttpServer, reads: ReadTransaction): void {
  const params = z.object({ job: values.jobName });
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/replay',
    config: {
      scope: 'read',
      problems: ['unknown-job', 'ambiguous-job', 'too-long', 'broken-stream', 'newer-core'],
    },
    schema: {
      operationId: 'replayJob',
      summary:
        'The state of the Job, rebuilt from its stream up to the end or a given point, and what followed',
      tags: ['Ledger'],
      params,
      querystring,
      response: { 200: replaySchema },
    },
    handler: ({ params: named, query, caller, raw }) =>
      reads({ caller, raw }, async (run, places) => {
        const replay = answered(
          replayTo(await shortStreamOf(run, { params: named, query }, places), pointOf(query)),
        );
        return replayJson(replay) as unknown as z.infer<typeof replaySchema>;
      }),
  });
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/replay/steps',
    config: {
      scope: 'read',
      problems: ['unknown-job', 'ambiguous-job', 'too-long', 'broken-stream', 'newer-core'],
    },
    schema: {
      operationId: 'replayJobByStep',
      summary: 'Each folded event in words, and what it changed',
      tags: ['Ledger'],
      params,
      querystring,
      response: { 200: z.object({ items: z.array(replayStepSchema) }) },
    },
    handler: ({ params: named, query, caller, raw }) =>
      reads({ caller, raw }, async (run, places) => {
        const steps = answered(
          replaySteps(await shortStreamOf(run, { params: named, query }, places), pointOf(query)),
        );
        return { items: steps as z.infer<typeof replayStepSchema>[] };
      }),
  });
}

function pointOf({ at, until }: z.infer<typeof querystring>): Point {
  if (at !== undefined) return { at: Date.parse(at) };
  return until === undefined ? 'end' : { until };
}

async function shortStreamOf(run: Run, named: NamedJob, places: Places): Promise<JobEvent[]> {
  const job = await jobOf(run, named, places);
  await requireShort(run, job);
  return streamOf(run, job);
}
