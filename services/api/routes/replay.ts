import { z } from 'zod';
import type { Point } from '../../../workflows/history/replay/point.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { toCursor, cursorParameter, PARTS } from '../cursor.ts';
import { foldTimeout, type Folds } from '../folds/folds.ts';
import type { ReadTransaction } from '../reads.ts';
import { replaySchema, replayStepSchema } from '../schemas/replay.ts';
import * as values from '../schemas/values.ts';
import { requireAnswer, FOLDS_A_JOB, findShortJob } from '../short-streams.ts';

const point = {
  ...values.whichJob,
  at: values.instantParameter
    .optional()
    .describe(
      'Replay the events that were recorded up to this instant. With `until` too, the earlier limit applies',
    ),
  until: values
    .textUpTo(1000)
    .optional()
    .meta({ description: 'Replay up to this event: its id, or the number of a decision', examples: ['3'] }),
};

interface GivenPoint {
  at?: string | undefined;
  until?: string | undefined;
}

/** The number of steps before the page. */
const stepsCursor = cursorParameter([PARTS.number], ['100']);

/** Rebuilds a Job's state by folding its stream, like `jobledger replay`. */
export function addReplayRoutes(server: HttpServer, reads: ReadTransaction, folds: Folds): void {
  const params = z.object({ job: values.jobName });
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/replay',
    handlerTimeout: foldTimeout(folds),
    config: FOLDS_A_JOB,
    schema: {
      operationId: 'replayJob',
      summary:
        'The state of the Job, rebuilt from its stream up to the end or a given point, with the next decision',
      tags: ['Ledger'],
      params,
      querystring: z.strictObject(point),
      response: { 200: replaySchema },
    },
    handler: async (request) => {
      const job = await findShortJob(reads, request);
      const replay = await folds.ask(request, { kind: 'replay', job, point: toPoint(request.query) });
      const { eventCount, decisionCount, ...rest } = requireAnswer(replay);
      const shown = { ...rest, event_count: eventCount, decision_count: decisionCount };
      return shown as unknown as z.infer<typeof replaySchema>;
    },
  });
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/replay/steps',
    handlerTimeout: foldTimeout(folds),
    config: FOLDS_A_JOB,
    schema: {
      operationId: 'replayJobByStep',
      summary: 'Each folded event as text, with its changes',
      tags: ['Ledger'],
      params,
      querystring: z.strictObject({ ...point, limit: values.limit, cursor: stepsCursor.optional() }),
      response: { 200: values.pageSchema(replayStepSchema) },
    },
    handler: async (request) => {
      const { query } = request;
      const job = await findShortJob(reads, request);
      const skip = Number(query.cursor?.[0] ?? 0);
      const range = { skip, limit: query.limit + 1 };
      const found = await folds.ask(request, { kind: 'steps', job, point: toPoint(query), range });
      const steps = requireAnswer(found) as z.infer<typeof replayStepSchema>[];
      const next = steps.length > query.limit ? toCursor([String(skip + query.limit)]) : null;
      return { items: steps.slice(0, query.limit), next };
    },
  });
}

function toPoint({ at, until }: GivenPoint): Point {
  if (at === undefined) return until === undefined ? 'end' : { until };
  const instant = Date.parse(at);
  return until === undefined ? { at: instant } : { at: instant, until };
}
