import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { Agent, request } from 'undici';
import type { ApiDocument } from '../support/api-client.ts';
import type { ApiProcessState } from '../support/api-process.ts';
import { listOperations, arbitraryRequests, type DocumentedRequest } from '../support/documented-requests.ts';
import { eventually } from '../support/eventually.ts';
import { extent } from '../support/extent.ts';

/** It ends a test that hangs. */
jest.setTimeout(600_000);

const REQUESTS = extent(2500, 10_000);
const AT_ONCE = 20;
const MOST_STREAMS_OF_CALLER = 50;
const agent = new Agent({ connections: AT_ONCE });
const probes = new Agent({ connections: 1 });
const authorization = 'Bearer reader-token';

let api: ChildProcess;
let url: string;
let requests: DocumentedRequest[];

beforeAll(async () => {
  api = fork(join(process.cwd(), 'test/support/api-process.ts'));
  [{ url }] = (await once(api, 'message')) as [{ url: string }];
  const served = await request(`${url}/openapi.json`, { headers: { authorization } });
  const document = (await served.body.json()) as ApiDocument;
  const operations = listOperations(document);
  const each = Math.ceil(REQUESTS / operations.length);
  const ofOperations = operations.map((operation) =>
    fc.sample(arbitraryRequests(document, operation, ['pi', 'local', 'default']), each),
  );
  // In turn, so that every route is asked throughout.
  requests = Array.from({ length: each }, (_none, place) =>
    ofOperations.flatMap((made) => made[place] ?? []),
  ).flat();
});
afterAll(async () => {
  api?.disconnect();
  await Promise.all([agent.destroy(), probes.destroy()]);
});

async function state(): Promise<ApiProcessState> {
  api.send('state');
  const [found] = (await once(api, 'message')) as [ApiProcessState];
  return found;
}

/** The CPU time of the thread that serves requests, in milliseconds. Unlike the time of day it is the same on a busy machine. */
function servingMs(): number {
  const { pid } = api;
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** The most memory that the process has had, in MiB, without those that fold. */
function peakMib(): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${api.pid}/status`, 'utf8'))?.[1]) / 1024;
}

async function send({ method, url: path, body }: DocumentedRequest): Promise<number> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const headers = { authorization, ...(sent !== undefined && { 'content-type': 'application/json' }) };
  const answer = await request(`${url}${path}`, {
    method: method as 'GET',
    headers,
    dispatcher: agent,
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(sent !== undefined && { body: sent }),
  });
  await answer.body.dump();
  return answer.statusCode;
}

function streamHead({ method = 'GET', path = '/v1/events', version = '1.1', more = '' } = {}): string {
  return `${method} ${path} HTTP/${version}\r\nHost: x\r\nAuthorization: ${authorization}\r\nAccept: text/event-stream\r\n${more}\r\n`;
}

const NOTHING = (): void => undefined;
/** Every way in which a stream is opened: what is sent, and what happens then on the connection. */
const WAYS: readonly [string, (socket: Socket) => void][] = [
  [streamHead(), NOTHING],
  [streamHead().repeat(101), NOTHING],
  [streamHead().repeat(101), (socket) => void socket.resetAndDestroy()],
  [streamHead(), (socket) => void socket.end()],
  [streamHead(), (socket) => void socket.pause()],
  [streamHead(), (socket) => void socket.destroy()],
  [streamHead({ path: '/v1/events?from=start' }), (socket) => void socket.resetAndDestroy()],
  [streamHead({ more: 'Last-Event-ID: 0:5,1:7\r\n' }), (socket) => void socket.destroy()],
  [streamHead({ more: 'Last-Event-ID: nonsense\r\n' }), NOTHING],
  [streamHead({ more: 'Connection: keep-alive\r\n' }) + streamHead({ path: '/v1/jobs' }), NOTHING],
  [streamHead({ more: 'Content-Length: 5\r\n' }), NOTHING],
  [streamHead({ method: 'HEAD' }), NOTHING],
  [streamHead({ version: '1.0' }), (socket) => void socket.destroy()],
  [streamHead().slice(0, -2), NOTHING],
];

/** Opens a stream in each way, again and again, until it is over. Of those left open, the newest 300 stay. */
async function openStreams(isOver: () => boolean): Promise<() => void> {
  const open: Socket[] = [];
  while (!isOver())
    for (const [text, then] of WAYS) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', NOTHING);
      socket.on('data', NOTHING);
      socket.write(text);
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
      await turn();
      then(socket);
      // Else so many connections would be opened and closed that the API would never come to answer one.
      if (then === NOTHING && text.endsWith('\r\n\r\n'))
        await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      open.push(socket);
      if (open.length > 300) open.shift()?.destroy();
    }
  return () => open.forEach((socket) => void socket.destroy());
}

/** Asks /healthz without a pause. Returns the most CPU time that the API spent on other things before it answered. */
async function watchHealth(isOver: () => boolean): Promise<number> {
  let longest = 0;
  while (!isOver()) {
    const before = servingMs();
    const answer = await request(`${url}/healthz`, {
      dispatcher: probes,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    await answer.body.dump();
    expect(answer.statusCode).toBe(200);
    longest = Math.max(longest, servingMs() - before);
  }
  return longest;
}

describe('a caller with the least rights that makes thousands of requests to every route and opens streams in every way', () => {
  it('does not delay /healthz by a second, and memory and the number of streams are bounded', async () => {
    expect(requests.length).toBeGreaterThanOrEqual(REQUESTS);
    const statuses = new Map<number, number>();
    const failed: string[] = [];
    let sent = 0;
    let isOver = false;
    const health = watchHealth(() => isOver);
    const streams = openStreams(() => isOver);
    const part = async (end: number): Promise<void> => {
      while (sent < end) {
        const each = requests[sent++];
        if (each === undefined) return;
        const status = await send(each);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status >= 500 && status !== 503) failed.push(`${each.method} ${each.url}: ${status}`);
      }
    };
    const sendUntil = (end: number): Promise<unknown> =>
      Promise.all(Array.from({ length: AT_ONCE }, () => part(end)));
    const states: ApiProcessState[] = [];
    let closeAll = NOTHING;
    let longestMs: number;
    try {
      await sendUntil(requests.length / 3);
      states.push(await state());
      await sendUntil(requests.length);
      await eventually('the reader has all streams that it may have', 60, async () =>
        (await state()).mostStreams >= MOST_STREAMS_OF_CALLER ? true : undefined,
      );
      states.push(await state());
    } finally {
      isOver = true;
      [closeAll, longestMs] = await Promise.all([streams, health]);
    }
    const [early, late] = states;
    expect((late?.heapMib ?? Number.NaN) - (early?.heapMib ?? 0)).toBeLessThan(30);
    expect(late?.mostStreams).toBe(MOST_STREAMS_OF_CALLER);
    expect(longestMs).toBeLessThan(1000);
    expect(failed).toEqual([]);
    // Folds that were ended, and those that the caller has no share left for.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 403, 404, 405, 422, 429]));
    expect(peakMib()).toBeLessThan(512);
    closeAll();
    await eventually('every place of a stream is free', 60, async () =>
      (await state()).streams === 0 ? true : undefined,
    );
  });
});
