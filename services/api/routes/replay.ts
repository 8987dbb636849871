import { z } from 'zod';
import type { JobEvent } from '../../../workflows/job/events.ts';
import type { Point } from '../../../workflows/history/replay/point.ts';
import { replaySteps } from '../../../workflows/history/replay/replay-steps.ts';
import { replayTo } from '../../../workflows/history/replay/replay-to.ts';
import type { HttpServer } from '../../adapters/http/server.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { streamOf } from '../../read-model/stream.ts';
import { jobOf, type NamedJob, type Reads } from '../reads.ts';
import { replaySchema, replayStepSchema } from '../schemas/replay.ts';
import * as values from '../schemas/values.ts';
import { answered, requireShort } from '../short-streams.ts';

const querystring = z
  .strictObject({
    ...values.whichJob,
    at: values.instantParameter.optional().describe('Up to what was recorded by then'),
    until: z.string().min(1).optional().describe('Up to this event: its id, or the number of a decision'),
  })
  .refine(({ at, until }) => at === undefined || until === undefined, 'say at or until, not both');

/** A Job made again from its stream through the core: the twin of `jobledger replay`. */
export function addReplayRoutes(server: HttpServer, reads: Reads): void {
  const params = z.object({ job: values.jobName });
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/replay',
    config: { scope: 'read' },
    schema: {
      operationId: 'replayJob',
      summary:
        'The Job as the core makes it again from its stream, at the end or at a point, and what followed',
      tags: ['Ledger'],
      params,
      querystring,
      response: { 200: replaySchema },
    },
    handler: ({ params: named, query }) =>
      reads(async (run) => {
        const replay = answered(replayTo(await shortStreamOf(run, { params: named, query }), pointOf(query)));
        return replay as unknown as z.infer<typeof replaySchema>;
      }),
  });
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/replay/steps',
    config: { scope: 'read' },
    schema: {
      operationId: 'replayJobByStep',
      summary: 'Each event on the way as it was folded, in words, and what it changed',
      tags: ['Ledger'],
      params,
      querystring,
      response: { 200: z.object({ items: z.array(replayStepSchema) }) },
    },
    handler: ({ params: named, query }) =>
      reads(async (run) => {
        const steps = answered(
          replaySteps(await shortStreamOf(run, { params: named, query }), pointOf(query)),
        );
        return { items: steps as z.infer<typeof replayStepSchema>[] };
      }),
  });
}

function pointOf({ at, until }: z.infer<typeof querystring>): Point {
  if (at !== undefined) return { at: Date.parse(at) };
  return until === undefined ? 'end' : { until };
}

async function shortStreamOf(run: Run, named: NamedJob): Promise<JobEvent[]> {
  const job = await jobOf(run, named);
  await requireShort(run, job);
  return streamOf(run, job);
}
