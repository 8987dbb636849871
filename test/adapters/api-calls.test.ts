import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { openApi, type ApiCalls, type ApiServer } from '../../services/adapters/http/api-calls.ts';
import { VERSION } from '../../services/adapters/process/package-dir.ts';
import { jobSchema } from '../../services/api/schemas/job.ts';
import { whoamiSchema } from '../../services/api/schemas/whoami.ts';
import { makeCertificates } from '../support/certificates.ts';
import { listeningApi, type ListeningApi } from '../support/listening-api.ts';

let api: ListeningApi;
let other: Server;
let otherUrl: string;

beforeAll(async () => {
  api = await listeningApi();
  other = createServer(({ url }, response) => {
    if (url === '/v1/odd') return response.end('{"name":1}');
    if (url === '/v1/stream') {
      // A message in two chunks, one without data, and one of two lines.
      response.write('retry: 2000\nid: 0:4\n:\n\nid: 0:5\ndata: {"a"');
      setImmediate(() => response.end(':1}\n\nid: 0:6\ndata: x\ndata: y\n\n'));
      return response;
    }
    response.statusCode = url === '/v1/moved' ? 302 : 200;
    if (url === '/v1/moved') response.setHeader('location', `${api.url}/v1/jobs/pi`);
    return response.end('<html>');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await api.close();
  other.close();
});

function calling<T>(server: Partial<ApiServer>, work: (calls: ApiCalls) => Promise<T>): Promise<T> {
  return work(openApi({ url: api.url, token: null, ca: null, ...server }));
}

const reader = { token: 'reader-token' };

describe('a client of the API', () => {
  it('returns the response of the API after a check against the schema of the response', async () => {
    const job = await calling(reader, (calls) =>
      calls.get('/v1/jobs/pi', { cluster: 'local', uid: undefined }, jobSchema),
    );
    expect(job).toMatchObject({ name: 'pi', active_deadline_seconds: 300 });
    expect(await calling(reader, (calls) => calls.get('/v1/whoami', {}, whoamiSchema))).toEqual({
      name: 'reader',
      groups: [],
      scopes: ['read'],
      rights: [{ scope: 'read', places: null }],
    });
  });

  it('loads the schemas for its checks only when the API has another version than the client', async () => {
    const ask = (url: string): Promise<unknown> =>
      calling({ url, ...reader }, (calls) =>
        calls.get('/v1/whoami', {}, () => Promise.reject(new Error('loaded'))),
      );
    expect(await ask(api.url)).toMatchObject({ name: 'reader' });
    await expect(ask(otherUrl)).rejects.toThrow('loaded');
  });

  it('sees the version of the API only when the API knows the token of the client', async () => {
    const version = async (path: string, token: string): Promise<string | null> =>
      (await fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).headers.get(
        'jobledger-version',
      );
    expect(await version('/v1/whoami', 'reader-token')).toBe(VERSION);
    expect(await version('/v1/whoami', 'unheard-of')).toBeNull();
    expect(await version('/healthz', 'reader-token')).toBeNull();
  });

  it('fails with advice on signing in when the API does not know the token', async () => {
    await expect(
      calling({ token: 'unheard-of' }, (calls) => calls.get('/v1/jobs', {}, z.unknown())),
    ).rejects.toThrow(
      `${api.url} does not know who you are: this token is unknown, or has expired; sign in with "jobledger login ${api.url}"`,
    );
  });

  it('fails with the text and the kind of the problem in the response of the API', async () => {
    await expect(
      calling(reader, (calls) => calls.get('/v1/jobs/unheard', {}, z.unknown())),
    ).rejects.toMatchObject({ kind: 'unknown-job', message: 'no Job named "unheard" was ever seen' });
    await expect(
      calling(reader, (calls) => calls.post('/v1/jobs/pi/suspend', {}, undefined, z.unknown())),
    ).rejects.toThrow('the token "reader" has the scope read; this needs operate');
  });

  it.each([
    ['responds with a page', '/', /responds? .*as this version of Jobledger expects/],
    ['responds with another shape', '/v1/odd', /expected string/],
    ['sends the caller elsewhere, where the token must not go', '/v1/moved', /responds 302, unlike an API/],
  ])('fails when the server %s', async (_what, path, message) => {
    await expect(
      calling({ url: otherUrl, ...reader }, (calls) => calls.get(path, {}, z.object({ name: z.string() }))),
    ).rejects.toThrow(message);
  });

  it('fails when no server listens, and reports that a retry may succeed', async () => {
    await expect(
      calling({ url: 'http://127.0.0.1:1', ...reader }, (calls) => calls.get('/v1/jobs', {}, z.unknown())),
    ).rejects.toMatchObject({ retryable: true, message: expect.stringContaining('cannot be reached') });
  });

  it.each([
    ['api.example.com', 'is not the URL of an API'],
    ['ftp://api.example.com', 'is not the URL of an API'],
    ['https://user:secret@api.example.com', 'must not contain a user or a password'],
  ])('refuses the address %s, because an API needs a URL', (url, message) => {
    expect(() => openApi({ url, token: null, ca: null })).toThrow(message);
    expect(() => openApi({ url, token: null, ca: null })).not.toThrow('secret');
  });
});

describe('the stream of events', () => {
  it('yields messages in the order of arrival, without the messages that only move the position', async () => {
    const messages = await calling({ url: otherUrl }, async (calls) => {
      const all = [];
      for await (const message of calls.stream('/v1/stream', {}, new AbortController().signal))
        all.push(message);
      return all;
    });
    expect(messages).toEqual([
      { id: '0:5', data: '{"a":1}' },
      { id: '0:6', data: 'x\ny' },
    ]);
  });

  it('closes its request when the reader stops reading', async () => {
    const over = new AbortController();
    const read = calling(reader, async (calls) => {
      for await (const message of calls.stream('/v1/events', {}, over.signal))
        if (message.id !== undefined) over.abort();
      return 'ended';
    });
    over.abort();
    expect(await read).toBe('ended');
  });
});

describe('an API whose certificate comes from a private authority', () => {
  it('is trusted only with the certificate of that authority', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jobledger-api-calls-'));
    const { ca, otherCa, serverCert, serverKey } = await makeCertificates(folder);
    const server = createTlsServer(
      { cert: readFileSync(serverCert), key: readFileSync(serverKey) },
      ({ headers }, response) => response.end(JSON.stringify({ sent: headers.authorization })),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ask = (file: string | null): Promise<unknown> =>
      calling({ url, ...reader, ca: file === null ? null : readFileSync(file, 'utf8') }, (calls) =>
        calls.get('/v1/jobs', {}, z.unknown()),
      );
    try {
      expect(await ask(ca)).toEqual({ sent: 'Bearer reader-token' });
      for (const file of [null, otherCa])
        await expect(ask(file)).rejects.toThrow(`the API at ${url} cannot be reached`);
    } finally {
      server.close();
      rmSync(folder, { recursive: true });
    }
  });
});
