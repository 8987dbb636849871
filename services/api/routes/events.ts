import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { ProblemError } from '../../adapters/http/problem.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { pause } from '../../adapters/pause.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import type { EventFilter } from '../queries/new-events.ts';
import { eventSchema, shownEvent } from '../schemas/ledger.ts';
import * as values from '../schemas/values.ts';
import { follow, shared } from '../stream/follow.ts';
import { positionsIn, positionsText, type Positions } from '../stream/positions.ts';
import { appliedPositions } from '../../read-model/positions.ts';
import { readOn } from '../stream/read-on.ts';
import { serverSentEvents } from '../stream/server-sent-events.ts';

const STREAM = 'text/event-stream';

/** The most events per batch of a stream. */
const BATCH_SIZE = 100;

/** A stream has no end, but the server needs a limit; this is the longest possible, in milliseconds. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/** Checked by `positionsOf`, whose message also fits Last-Event-ID. */
const POSITIONS_PATTERN = String.raw`^(?:start|now|\d{1,9}:\d{1,18}(?:,\d{1,9}:\d{1,18})*)$`;

const querystring = z.strictObject({
  cluster: values.clusterName.optional(),
  namespace: values.namespaceName.optional(),
  job: values.jobName.optional(),
  uid: values.jobUid.optional(),
  type: values.eventTypes.optional(),
  from: z
    .string()
    .optional()
    .meta({ pattern: POSITIONS_PATTERN })
    .describe(
      'start, now, or positions from an earlier response (PARTITION:OFFSET,…). Default: start; for a stream: now',
    ),
  limit: values.limit.describe('Events per page; ignored for a stream'),
});

export interface EventsDependencies {
  run: Run;
  /** The ledger's topic. */
  topic: string;
  /** The most streams open at once. */
  maxStreams: number;
  /** Aborted when the process stops, which ends the streams. */
  signal: AbortSignal;
  /** Called with the number of open streams when it changes. */
  count: (open: number) => void;
}

/** New events of all clusters: as pages for clients that poll, or as a stream. */
export function addEventRoutes(server: HttpServer, dependencies: EventsDependencies): void {
  const { run, topic } = dependencies;
  const ends = shared(() => appliedPositions(run, topic));
  const openStream = streamOpener(dependencies, ends);
  server.route({
    method: 'GET',
    url: '/v1/events',
    config: { scope: 'read', problems: ['too-many-streams'] },
    handlerTimeout: NO_LIMIT_MS,
    schema: {
      operationId: 'readEvents',
      summary: 'New events of the ledger: a page, or with Accept: text/event-stream a stream',
      description:
        'Positions mark how far a reader has read: the `next` of a page, or the id of an event in a stream. Passed as `from` or as the header Last-Event-ID, they continue with the next event, without omissions or repeats.',
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
                next: z
                  .string()
                  .describe('Pass it as `from` to read the following events, which may not exist yet'),
              }),
            },
            [STREAM]: { schema: z.string() },
          },
        },
      },
    },
    handler: async ({ query, headers, caller, isCurrent }, reply) => {
      const filter = { ...query, types: query.type, places: caller.places };
      if (headers.accept?.includes(STREAM) === true) {
        const from = await positionsOf(headers['last-event-id'] ?? query.from ?? 'now', ends);
        return reply
          .headers({ 'cache-control': 'no-cache', 'x-accel-buffering': 'no', connection: 'close' })
          .type(STREAM)
          .send(openStream(from, filter, { response: reply.raw, isCurrent }) as never);
      }
      const from = await positionsOf(query.from ?? 'start', ends);
      const { events, next } = await readOn(run, from, await ends(), { filter, limit: query.limit });
      const items = events.map(({ event }) => shownEvent(event));
      return reply.type('application/json').send({ items, next: positionsText(next) });
    },
  });
}

/** Who reads a stream: it ends when the connection closes or the token is no longer valid. */
interface Reader {
  response: ServerResponse;
  isCurrent: () => Promise<boolean>;
}

/** Milliseconds between two looks at the token of a stream. */
const TOKEN_LOOK_MS = 1000;

async function abortWhenOver(gone: AbortController, isCurrent: () => Promise<boolean>): Promise<void> {
  while (!gone.signal.aborted && (await isCurrent())) await pause(TOKEN_LOOK_MS, gone.signal);
  gone.abort();
}

/** Opens streams, limited in number. Writes to a slow reader no faster than it reads. */
function streamOpener(
  { run, maxStreams, signal, count }: EventsDependencies,
  ends: () => Promise<Positions>,
): (from: Positions, filter: EventFilter, reader: Reader) => Readable {
  let open = 0;
  const ledger = {
    ends,
    readOn: (from: Positions, to: Positions, filter: EventFilter) =>
      readOn(run, from, to, { filter, limit: BATCH_SIZE }),
  };
  return (from, filter, { response, isCurrent }) => {
    if (open >= maxStreams)
      throw new ProblemError(
        'too-many-streams',
        `${maxStreams} streams are open; close one, or try again later`,
        {
          headers: { 'retry-after': '10' },
        },
      );
    const gone = new AbortController();
    count((open += 1));
    // The close event fires at once; the stream itself would notice only at its next write.
    response.once('close', () => {
      gone.abort();
      count((open -= 1));
    });
    void abortWhenOver(gone, isCurrent);
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
    'from, or Last-Event-ID: start, now, or positions from an earlier response',
  );
}
