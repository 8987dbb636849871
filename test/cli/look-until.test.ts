import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { lookUntil } from '../../cli/sources/look-until.ts';
import { UnavailableError } from '../../services/adapters/errors.ts';

let server: Server;
/** How many requests get the answer of a server that restarts. */
let outages = 0;
/** The requests that the API got: their paths, or `stream`. */
const requests: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const isStream = request.headers.accept === 'text/event-stream';
    requests.push(isStream ? 'stream' : (request.url ?? ''));
    if (outages > 0) {
      outages -= 1;
      return void request.socket.destroy();
    }
    // Slowly, so that a stream that is opened too early comes before the answer.
    if (!isStream) return setTimeout(() => response.end('{"next":"7"}'), 100);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return response.end('id: 8\ndata: {}\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('a wait follows the events only after a first query, and an unavailable API does not end the wait after that query', async () => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options = { stateDir: '', connection: { server: url, hasStateDir: false } };
  let looks = 0;
  await lookUntil(options, {}, { signal: new AbortController().signal }, async () => {
    looks += 1;
    await fetch(`${url}/look`);
    requests.push('seen');
    if (looks === 2) throw new UnavailableError('away');
    return looks === 3;
  });
  expect(requests.slice(0, 4)).toEqual(['/v1/events?from=now&limit=1', '/look', 'seen', 'stream']);
  expect(looks).toBe(3);
});

describe('an API that is unavailable before the first query of a wait', () => {
  const look = (limitMs?: number, isKnownToAnswer?: boolean): Promise<number> => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = { stateDir: '', connection: { server: url, hasStateDir: false } };
    const signal = limitMs === undefined ? new AbortController().signal : AbortSignal.timeout(limitMs);
    let looks = 0;
    return lookUntil(
      options,
      {},
      { signal, ...(isKnownToAnswer !== undefined && { isKnownToAnswer }) },
      () => {
        looks += 1;
        return Promise.resolve(true);
      },
    ).then(() => looks);
  };

  it('ends the wait, because its address may be wrong', async () => {
    outages = 1;
    await expect(look()).rejects.toThrow('cannot be reached');
  });

  it('does not end the wait within the time limit when an earlier request of the verb reached the API', async () => {
    jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    outages = 2;
    expect(await look(undefined, true)).toBe(1);
    outages = 1000;
    expect(await look(1500, true)).toBe(0);
    outages = 0;
    expect(await look(0, true)).toBe(1);
  });
});
