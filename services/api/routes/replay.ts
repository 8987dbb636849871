import { z } from 'zod';
import type { Point } from '../../../workflows/history/replay/point.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { toCursor, cursorParameter, PARTS } from '../cursor.ts';
import { foldTimeout, type Folds } from '../folds/folds.ts';
import type { ReadTransaction } from '../reads.ts';
import { replaySchema, replayStepSchema } from '../schemas/replay.ts';
import * as values from '../schemas/values.ts';
import { requireAnswer, FOLDS_A_JOB, findJobToFold } from '../short-streams.ts';

/** The query parameters that identify a Job and a point of its stream. */
const replayQuery = {
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

/** The texts of the query. */
interface GivenPoint {
  at?: string | undefined;
  until?: string | undefined;
}

/** The number of steps before the page. */
const stepsCursor = cursorParameter([PARTS.number], ['100']);

/**
 * Adds the routes that rebuild a Job's state from its stream, like `jobledger replay`, and that list each step, like `--step`.
 * `folds` does the work in other processes.
 */
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
      querystring: z.strictObject(replayQuery),
      response: { 200: replaySchema },
    },
    handler: async (request) => {
      const job = await findJobToFold(reads, request);
      const replay = await folds.ask(request, { kind: 'replay', job, point: toPoint(request.query) });
      const { eventCount, decisionCount, ...rest } = requireAnswer(replay);
      const shown = { ...rest, event_count: eventCount, decision_count: decisionCount };
      // The schema describes the state of the Job more loosely than the types of the core.
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
      querystring: z.strictObject({ ...replayQuery, limit: values.limit, cursor: stepsCursor.optional() }),
      response: { 200: values.pageSchema(replayStepSchema) },
    },
    handler: async (request) => {
      const { query } = request;
      const job = await findJobToFold(reads, request);
      const skip = Number(query.cursor?.[0] ?? 0);
      const range = { skip, limit: query.limit + 1 };
      const found = await folds.ask(request, { kind: 'steps', job, point: toPoint(query), range });
      const steps = requireAnswer(found) as z.infer<typeof replayStepSchema>[];
      const next = steps.length > query.limit ? toCursor([String(skip + query.limit)]) : null;
      return { items: steps.slice(0, query.limit), next };
    },
  });
}

/** The point that a query names, with `at` in milliseconds since 1970; the end of the stream if the query names none. */
function toPoint({ at, until }: GivenPoint): Point {
  if (at === undefined) return until === undefined ? 'end' : { until };
  const instant = Date.parse(at);
  return until === undefined ? { at: instant } : { at: instant, until };
}
