import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { ProblemError } from '../../adapters/http/problem.ts';
import type { HttpServer } from '../../adapters/http/server.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import type { EventFilter } from '../queries/new-events.ts';
import { eventSchema, shownEvent } from '../schemas/ledger.ts';
import * as values from '../schemas/values.ts';
import { follow, shared } from '../stream/follow.ts';
import { positionsIn, positionsText, type Positions } from '../stream/positions.ts';
import { appliedEnds, readOn } from '../stream/read-on.ts';
import { serverSentEvents } from '../stream/server-sent-events.ts';

const STREAM = 'text/event-stream';

/** Events that a stream reads at a time. */
const BATCH_SIZE = 100;

/** A stream has no end; the server wants a limit, and this is the longest. */
const NO_LIMIT_MS = 2 ** 31 - 1;

const querystring = z.strictObject({
  cluster: values.clusterName.optional(),
  namespace: values.namespaceName.optional(),
  job: values.jobName.optional(),
  uid: values.jobUid.optional(),
  type: values.eventTypes.optional(),
  from: z
    .string()
    .optional()
    .describe(
      'start, now, or positions as an answer gave them (PARTITION:OFFSET,…). Default: start, of a stream: now',
    ),
  limit: values.limit.describe('Events of a page; means nothing for a stream'),
});

export interface EventsDependencies {
  run: Run;
  /** The ledger's topic. */
  topic: string;
  /** Streams that may be open at a time. */
  maxStreams: number;
  /** Aborted when the process stops: streams end then. */
  signal: AbortSignal;
  /** Told how many streams are open. */
  count: (open: number) => void;
}

/** New events of all clusters: as pages for whoever asks again and again, as a stream for whoever listens. */
export function addEventRoutes(server: HttpServer, dependencies: EventsDependencies): void {
  const { run, topic } = dependencies;
  const ends = shared(() => appliedEnds(run, topic));
  const openStream = streamOpener(dependencies, ends);
  server.route({
    method: 'GET',
    url: '/v1/events',
    config: { scope: 'read' },
    handlerTimeout: NO_LIMIT_MS,
    schema: {
      operationId: 'readEvents',
      summary:
        'Events of the ledger as they come: a page of them, or with Accept: text/event-stream all that follow',
      description:
        'Positions tell how far a reader has come: `next` of a page, the id of an event in a stream. Given back as `from` or as the header Last-Event-ID, reading goes on with the next event, none left out and none repeated.',
      tags: ['Ledger'],
      querystring,
      headers: z.looseObject({ 'last-event-id': z.string().optional(), accept: z.string().optional() }),
      response: {
        200: {
          description: 'Events, in the order of each partition',
          content: {
            'application/json': {
              schema: z.object({
                items: z.array(eventSchema),
                next: z.string().describe('Give it as `from` for what follows; it may not be there yet'),
              }),
            },
            [STREAM]: { schema: z.string() },
          },
        },
      },
    },
    handler: async ({ query, headers }, reply) => {
      const filter = { ...query, types: query.type };
      if (headers.accept?.includes(STREAM) === true) {
        const from = await positionsOf(headers['last-event-id'] ?? query.from ?? 'now', ends);
        return reply
          .headers({ 'cache-control': 'no-cache', 'x-accel-buffering': 'no', connection: 'close' })
          .type(STREAM)
          .send(openStream(from, filter, reply.raw) as never);
      }
      const from = await positionsOf(query.from ?? 'start', ends);
      const { events, next } = await readOn(run, from, await ends(), { filter, limit: query.limit });
      const items = events.map(({ event }) => shownEvent(event));
      return reply.type('application/json').send({ items, next: positionsText(next) });
    },
  });
}

/** Opens streams, a limited number at a time. A slow reader is written to no faster than it reads. */
function streamOpener(
  { run, maxStreams, signal, count }: EventsDependencies,
  ends: () => Promise<Positions>,
): (from: Positions, filter: EventFilter, answer: ServerResponse) => Readable {
  let open = 0;
  const ledger = {
    ends,
    readOn: (from: Positions, to: Positions, filter: EventFilter) =>
      readOn(run, from, to, { filter, limit: BATCH_SIZE }),
  };
  return (from, filter, answer) => {
    if (open >= maxStreams)
      throw new ProblemError('too-many-streams', `${maxStreams} streams are open; close one, or come again`, {
        headers: { 'retry-after': '10' },
      });
    const gone = new AbortController();
    count((open += 1));
    // The connection tells at once that its reader went; the text would notice with the next thing to write.
    answer.once('close', () => {
      gone.abort();
      count((open -= 1));
    });
    const batches = follow(ledger, from, filter, { signal: AbortSignal.any([signal, gone.signal]) });
    return Readable.from(serverSentEvents(from, batches), { objectMode: false });
  };
}

async function positionsOf(text: string, ends: () => Promise<Positions>): Promise<Positions> {
  if (text === 'start') return new Map();
  if (text === 'now') return ends();
  const positions = positionsIn(text);
  if (positions !== undefined) return positions;
  throw new ProblemError(
    'bad-request',
    'from, or Last-Event-ID: start, now, or positions as an answer gave them',
  );
}
