import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { whoIs, type Caller } from '../access/caller.ts';
import { ProblemError } from '../../adapters/http/problem.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { cacheFor } from '../../adapters/waiting/shared.ts';
import type { EventFilter } from '../queries/new-events.ts';
import { eventSchema, shownEvent } from '../schemas/ledger.ts';
import * as values from '../schemas/values.ts';
import { followEvents, POLL_MS } from '../stream/follow.ts';
import { positionsIn, positionsText, type Positions } from '../stream/positions.ts';
import type { ReadTransaction } from '../reads.ts';
import { appliedPositions } from '../../read-model/state/positions.ts';
import { readEventsAfter } from '../stream/read-on.ts';
import { createStreamPlaces } from '../stream/places.ts';
import { serverSentEvents } from '../stream/server-sent-events.ts';

const STREAM = 'text/event-stream';

/** The maximum number of events per batch of a stream. */
const BATCH_SIZE = 100;

/** The longest possible limit of the server in milliseconds, because a stream has no end. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/** The pattern is only documentation: `parsePositions` checks the value, and its message also fits Last-Event-ID. */
const POSITIONS_PATTERN = String.raw`^(?:start|now|\d{1,9}:\d{1,18}(?:,\d{1,9}:\d{1,18})*)$`;

const positionsParameter = z.string().meta({ pattern: POSITIONS_PATTERN, examples: ['0:41,3:17'] });

const querystring = z.strictObject({
  cluster: values.clusterName.optional(),
  namespace: values.namespaceName.optional(),
  job: values.jobName.optional(),
  uid: values.jobUid.optional(),
  type: values.eventTypes.optional(),
  from: positionsParameter
    .optional()
    .describe(
      'start, now, or positions from an earlier response (PARTITION:OFFSET,…). The default is start for a page, and now for a stream',
    ),
  limit: values.limit.describe('Events per page; ignored for a stream'),
});

export interface EventsDependencies {
  run: Run;
  /** The ledger's topic. */
  topic: string;
  /** The maximum numbers of streams that are open at the same time, for all callers and for each caller. */
  maxStreams: number;
  maxStreamsOfCaller: number;
  /** The signal that is aborted when the process stops, which ends the streams. */
  signal: AbortSignal;
  /** Receives the number of open streams when the number changes. */
  count: (open: number) => void;
}

/** New events of all clusters: as pages for clients that poll, or as a stream. */
export function addEventRoutes(
  server: HttpServer,
  reads: ReadTransaction,
  dependencies: EventsDependencies,
): void {
  const { run, topic } = dependencies;
  const ends = cacheFor(() => appliedPositions(run, topic), POLL_MS / 2);
  const openStream = createStreamOpener(dependencies, ends);
  server.route({
    method: 'GET',
    url: '/v1/events',
    config: { scope: 'read', problems: ['too-many-streams'] },
    handlerTimeout: NO_LIMIT_MS,
    schema: {
      operationId: 'readEvents',
      summary: 'New events of the ledger: a page, or a stream with Accept: text/event-stream',
      description:
        'Positions mark how far a reader has read: the `next` of a page, or the id of an event in a stream. Passed as `from` or as the header Last-Event-ID, they continue with the next event, without omissions or repeats.',
      tags: ['Ledger'],
      querystring,
      headers: z.looseObject({
        'last-event-id': positionsParameter
          .optional()
          .describe('The positions to continue from, for a stream only; this header precedes `from`'),
        accept: z.string().optional(),
      }),
      response: {
        200: {
          description: 'Events, in the order of each partition',
          content: {
            'application/json': {
              schema: z.object({
                items: z.array(eventSchema),
                next: z
                  .string()
                  .describe(
                    'Pass this value as `from` to read the following events, which may not exist yet',
                  ),
              }),
            },
            [STREAM]: { schema: z.string() },
          },
        },
      },
    },
    handler: async ({ query, headers, caller, isCurrent, raw: { socket } }, reply) => {
      const filter = { ...query, types: query.type, places: caller.places };
      if (headers.accept?.includes(STREAM) === true) {
        const from = await parsePositions(headers['last-event-id'] ?? query.from ?? 'now', ends);
        return reply
          .headers({ 'cache-control': 'no-cache', 'x-accel-buffering': 'no', connection: 'close' })
          .type(STREAM)
          .send(openStream(from, filter, { caller, response: reply.raw, socket, isCurrent }) as never);
      }
      const from = await parsePositions(query.from ?? 'start', ends);
      const page = { filter, limit: query.limit };
      const to = await ends();
      const { events, next } = await reads({ caller, raw: { socket } }, (read) =>
        readEventsAfter(read, from, to, page),
      );
      const items = events.map(({ event }) => shownEvent(event));
      return reply.type('application/json').send({ items, next: positionsText(next) });
    },
  });
}

/** The reader of a stream, whose stream ends when the connection closes or the token becomes invalid. */
interface Reader {
  caller: Caller;
  response: ServerResponse;
  socket: Socket;
  isCurrent: () => Promise<boolean>;
}

/** The milliseconds between two checks of a stream's token. */
const TOKEN_POLL_MS = 1000;

/** Checks the token of a stream until it becomes invalid or the connection closes. */
async function abortWhenTokenEnds(gone: AbortController, isCurrent: () => Promise<boolean>): Promise<void> {
  while (!gone.signal.aborted && (await isCurrent())) await pause(TOKEN_POLL_MS, gone.signal);
  gone.abort();
}

/** Returns a function that opens streams, up to the limits. A stream writes to a slow reader no faster than the reader reads. */
function createStreamOpener(
  dependencies: EventsDependencies,
  ends: () => Promise<Positions>,
): (from: Positions, filter: EventFilter, reader: Reader) => Readable {
  const { run, signal } = dependencies;
  const places = createStreamPlaces(dependencies);
  const ledger = {
    ends,
    readOn: (from: Positions, to: Positions, filter: EventFilter) =>
      readEventsAfter(run, from, to, { filter, limit: BATCH_SIZE }),
  };
  return (from, filter, { caller, response, socket, isCurrent }) => {
    const free = places.take(whoIs(caller), socket);
    const gone = new AbortController();
    const leave = (): void => {
      gone.abort();
      free();
    };
    // The close event fires at once, whereas the stream itself would notice a closed connection only at its next write.
    // A response that waits behind another response on its connection does not emit the event, but its socket does.
    response.once('close', leave);
    socket.once('close', leave);
    void abortWhenTokenEnds(gone, isCurrent);
    const batches = followEvents(ledger, from, filter, { signal: AbortSignal.any([signal, gone.signal]) });
    return Readable.from(serverSentEvents(from, batches), { objectMode: false });
  };
}

/** Parses `start`, `now` or positions. @throws ProblemError for any other text. */
async function parsePositions(text: string, ends: () => Promise<Positions>): Promise<Positions> {
  if (text === 'start') return new Map();
  if (text === 'now') return ends();
  const positions = positionsIn(text);
  if (positions !== undefined) return positions;
  throw new ProblemError(
    'bad-request',
    'from or Last-Event-ID must be start, now, or positions from an earlier response',
  );
}
