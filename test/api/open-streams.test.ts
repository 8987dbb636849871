import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { listeningApi, type ListeningApi } from '../support/listening-api.ts';
import { eventsDependencies } from '../support/stub-api.ts';

/** It ends a test that hangs. */
jest.setTimeout(300_000);

const [MOST, MOST_OF_CALLER] = [3, 2];
let api: ListeningApi;
let open: number;
let stop: AbortController;
const sockets: Socket[] = [];

beforeEach(async () => {
  open = 0;
  stop = new AbortController();
  const count = (streams: number): void => void (open = streams);
  api = await listeningApi({
    events: eventsDependencies({
      maxStreams: MOST,
      maxStreamsOfCaller: MOST_OF_CALLER,
      signal: stop.signal,
      count,
    }),
  });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  stop.abort();
  await api.close();
});

function request(token: string, { method = 'GET', more = '' } = {}): string {
  return `${method} /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n${more}\r\n`;
}

/** Sends text over a connection of its own; `received` grows. */
function send(text: string): { socket: Socket; received: () => string } {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  sockets.push(socket);
  let received = '';
  socket.on('data', (data) => (received += data.toString()));
  socket.on('error', () => undefined);
  socket.write(text);
  return { socket, received: () => received };
}

async function opened(token: string): Promise<Socket> {
  const { socket, received } = send(request(token));
  await eventually('the stream begins', 10, () =>
    Promise.resolve(received().includes('retry: ') ? true : undefined),
  );
  return socket;
}

async function requestStatus(token: string, options = {}): Promise<string | undefined> {
  const { received } = send(request(token, options));
  return eventually('a status', 10, () => Promise.resolve(/^HTTP\/1\.1 (\d+)/.exec(received())?.[1]));
}

function allAreFree(): Promise<boolean> {
  return eventually('no stream is open', 10, () => Promise.resolve(open === 0 ? true : undefined));
}

describe('event streams on one HTTP connection', () => {
  it('count as one open stream of their caller until the connection closes', async () => {
    const { socket, received } = send(request('reader-token').repeat(101));
    await eventually('the first one begins', 10, () =>
      Promise.resolve(received().includes('retry: ') ? true : undefined),
    );
    expect(open).toBe(1);
    socket.destroy();
    await allAreFree();
    await opened('reader-token');
  });
});

describe('an event stream under the limit of open streams', () => {
  it.each([
    ['its connection is reset', (socket: Socket) => void socket.resetAndDestroy()],
    ['its caller ends the connection', (socket: Socket) => void socket.end()],
  ])('no longer counts when %s', async (_how, leave) => {
    leave(await opened('reader-token'));
    expect(await allAreFree()).toBe(true);
  });

  it('does not count when the caller has disconnected before the stream begins', async () => {
    for (let count = 0; count < 10; count += 1) {
      const { socket } = send(request('reader-token'));
      await new Promise((resolve) => socket.once('connect', resolve));
      socket.resetAndDestroy();
    }
    await opened('reader-token');
    expect(open).toBe(1);
  });

  it('does not count when the request is a HEAD request', async () => {
    expect(await requestStatus('reader-token', { method: 'HEAD' })).toBe('200');
    expect(await allAreFree()).toBe(true);
  });
});

describe('too many event streams', () => {
  it('are refused first to the caller with the most streams, so that another caller can still open a stream', async () => {
    for (let count = 0; count < MOST_OF_CALLER; count += 1) await opened('reader-token');
    expect(await requestStatus('reader-token')).toBe('503');
    await opened('owner-token');
    expect(await requestStatus('owner-token')).toBe('503');
    expect(open).toBe(MOST);
  });
});
