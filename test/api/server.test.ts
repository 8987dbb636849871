import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import type { Tokens } from '../../services/api/access/authentication.ts';
import type { Person } from '../../services/api/access/caller.ts';
import type { PersonSource } from '../../services/api/access/people.ts';
import type { HttpServer } from '../../services/adapters/http/http-server.ts';
import { createAuthentication } from '../../services/api/access/authentication.ts';
import { createHttpServer } from '../../services/adapters/http/server.ts';
import { tokenLine, type AccessEntry } from '../../services/api/access/tokens.ts';
import { accessEntriesIn } from '../support/access-entries.ts';
import { InputError, JobledgerError, UnavailableError } from '../../services/adapters/errors.ts';
import { stringifyExact } from '../../services/adapters/exact-json.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { createMetrics, type Metrics } from '../../services/adapters/metrics/metrics.ts';
import { addHealthRoutes } from '../../services/api/routes/health.ts';
import { RefusedStatementError } from '../../services/adapters/postgres/failures.ts';
import { samplesIn, findSamples } from '../support/metrics.ts';

const lines = [
  tokenLine({ name: 'reader', scopes: ['read'] }, 'read-token'),
  tokenLine({ name: 'robot', scopes: ['operate'] }, 'operate-token'),
];
const TOKENS = accessEntriesIn(lines.join(''), 'tokens');
const GRANTS = accessEntriesIn('user:alice read', 'tokens');

let server: HttpServer;
let metrics: Metrics;
let logged: string;
let fails: () => unknown = () => 'well';

async function aServer(
  tokens: Tokens = () => TOKENS,
  ratePerMinute = 0,
  people: readonly PersonSource[] = [],
  timeoutMs = 1000,
  trustedProxies: readonly string[] = [],
): Promise<HttpServer> {
  const log = createLog('test');
  log.level = 'info';
  for (const level of ['info', 'error', 'warn'] as const)
    jest
      .spyOn(log, level)
      .mockImplementation((...output: unknown[]) => void (logged += JSON.stringify(output)));
  metrics = createMetrics();
  const about = { title: 'Test', version: '1', description: 'of the server' };
  const made = await createHttpServer({
    log,
    metrics,
    authentication: createAuthentication({ tokens, people }, ratePerMinute),
    bodyLimit: 1000,
    timeoutMs,
    trustedProxies,
    about,
    toProblem: () => null,
  });
  const schema = { querystring: z.strictObject({ n: z.coerce.number().int().optional() }) };
  made.get('/read/:word', { schema, config: { scope: 'read' } }, () => Promise.resolve(fails()));
  const body = z.object({ text: z.string() });
  made.post('/write', { schema: { body }, config: { scope: 'operate' } }, ({ caller }) =>
    Promise.resolve(caller.name),
  );
  const manifest = z.looseObject({ spec: z.looseObject({}) });
  made.post('/exact', { schema: { body: manifest }, config: { scope: 'operate' } }, (request) =>
    Promise.resolve(stringifyExact(request.body)),
  );
  made.get('/open', { config: { scope: 'none' } }, () => Promise.resolve('open'));
  made.get('/alive', { config: { scope: 'none', isProbe: true } }, () => Promise.resolve('alive'));
  return made;
}

beforeEach(async () => {
  logged = '';
  fails = () => 'well';
  server = await aServer();
});
afterEach(() => server.close());

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const get = (url: string, headers: Record<string, string> = bearer('read-token')) =>
  server.inject({ method: 'GET', url, headers });

describe('a request body with an integer beyond 2^53', () => {
  it('is passed on with every digit', async () => {
    const payload = '{"spec":{"terminationGracePeriodSeconds":9007199254740993}}';
    const headers = { ...bearer('operate-token'), 'content-type': 'application/json' };
    const { statusCode, body } = await server.inject({ method: 'POST', url: '/exact', headers, payload });
    expect({ statusCode, body }).toEqual({ statusCode: 200, body: payload });
  });
});

describe('a request that needs authorization', () => {
  it.each([
    ['/read/a', 'read-token', 200],
    ['/read/a', 'operate-token', 403],
    ['/read/a', 'another', 401],
    ['/read/a', '', 401],
    ['/write', 'operate-token', 200],
    ['/write', 'read-token', 403],
    ['/write', '', 401],
    ['/open', '', 200],
    ['/nowhere', '', 404],
  ])(
    'is answered as its route and its token require: a request to %s with the token %j gets the status %i',
    async (url, token, status) => {
      const headers = token === '' ? {} : bearer(token);
      const answer =
        url === '/write'
          ? await server.inject({ method: 'POST', url, headers, payload: { text: 'x' } })
          : await get(url, headers);
      expect(answer.statusCode).toBe(status);
    },
  );

  it('is answered with an explanation of how to authenticate when it has no token', async () => {
    const unknown = await get('/read/a', {});
    expect(unknown.headers['www-authenticate']).toBe('Bearer realm="jobledger"');
    expect(unknown.json()).toMatchObject({ type: 'urn:jobledger:problem:unauthorized', status: 401 });
    const refused = await get('/read/a', bearer('operate-token'));
    expect(refused.headers['www-authenticate']).toContain('error="insufficient_scope", scope="read"');
    expect(refused.json()).toMatchObject({
      detail: 'the token "robot" has the scope operate; this needs read',
    });
    expect((await get('/read/a', bearer('wrong'))).headers['www-authenticate']).toContain('invalid_token');
  });

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Bearer =',
    'Bearer a b',
    'Bearer \u00e4',
    'Basic cmVhZGVyOg==',
    'read-token',
  ])(
    'is answered with 401 when it has the header %j, whichever tokens are configured',
    async (authorization) => {
      const empty = createHash('sha256').update('').digest();
      const ofEmpty: AccessEntry = {
        name: 'empty',
        scopes: ['read'],
        digest: empty,
        expiresAt: null,
        places: null,
      };
      const careless = await aServer(() => [ofEmpty]);
      const headers = { authorization };
      const answer = await careless.inject({ method: 'GET', url: '/read/a', headers });
      expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([
        401,
        expect.stringContaining('Bearer realm="jobledger"'),
      ]);
      await careless.close();
    },
  );

  it('is rejected before its body is read when it has no valid token', async () => {
    const payload = { text: 'x'.repeat(5000) };
    const answer = await server.inject({ method: 'POST', url: '/write', payload });
    expect(answer.statusCode).toBe(401);
  });

  it('is never logged with its token', async () => {
    await get('/read/a');
    await get('/read/a', bearer('wrong-token'));
    expect(logged).toContain('"caller":"reader"');
    expect(logged).not.toContain('read-token');
    expect(logged).not.toContain('wrong-token');
  });
});

describe('too many requests to the API', () => {
  it('are answered with 429 for one caller, while the requests of another caller are served', async () => {
    const limited = await aServer(undefined, 2);
    const statuses: number[] = [];
    for (const token of [
      'read-token',
      'read-token',
      'read-token',
      'wrong',
      'wrong',
      'other',
      'operate-token',
    ]) {
      const answer = await limited.inject({ method: 'GET', url: '/read/a', headers: bearer(token) });
      statuses.push(answer.statusCode);
      if (answer.statusCode === 429) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    // Wrong tokens are counted by address, whichever they are.
    expect(statuses).toEqual([200, 200, 429, 401, 401, 429, 403]);
    expect((await limited.inject('/open')).statusCode).toBe(200);
    await limited.close();
  });

  it.each(['/open', '/nowhere'])(
    'are answered with 429 also when they go without a token to %s',
    async (url) => {
      const limited = await aServer(undefined, 2);
      const statuses = [];
      for (let count = 0; count < 3; count += 1) statuses.push((await limited.inject(url)).statusCode);
      expect(statuses.map((status) => status === 429)).toEqual([false, false, true]);
      expect((await limited.inject('/alive')).statusCode).toBe(200);
      await limited.close();
    },
  );

  it('do not block the probes of the kubelet, which have no token and may come from the same address', async () => {
    const limited = await aServer(undefined, 2);
    addHealthRoutes(limited, () => Promise.resolve({ status: 'ready', parts: {} }));
    for (let count = 0; count < 3; count += 1) await limited.inject('/nowhere');
    const statuses = [];
    for (const url of ['/nowhere', '/readyz', '/readyz', '/readyz', '/healthz', '/openapi.json'])
      statuses.push((await limited.inject(url)).statusCode);
    expect(statuses).toEqual([429, 200, 200, 200, 200, 429]);
    await limited.close();
  });

  it('are counted for the address that a trusted proxy names, and no other sender can name an address', async () => {
    const limited = await aServer(undefined, 2, [], 1000, ['10.1.0.0/16', '2001:db8::7']);
    const requestStatus = async (remoteAddress: string, forwarded: string): Promise<number> => {
      const headers = { 'x-forwarded-for': forwarded };
      return (await limited.inject({ url: '/open', remoteAddress, headers })).statusCode;
    };
    const statuses = [];
    for (const [remoteAddress, forwarded] of [
      ['10.1.2.3', '192.0.2.1'],
      ['10.1.2.4', '192.0.2.1'],
      ['10.1.2.3', '192.0.2.1'],
      // What the sender itself has written stands before what the proxy adds.
      ['10.1.2.3', '192.0.2.9, 192.0.2.1'],
      ['10.1.2.3', '192.0.2.2'],
      ['2001:db8::7', '192.0.2.2'],
      ['2001:db8::7', '192.0.2.2'],
      ['198.51.100.1', '192.0.2.3'],
      ['198.51.100.1', '192.0.2.4'],
      ['198.51.100.1', '192.0.2.5'],
    ] as const)
      statuses.push(await requestStatus(remoteAddress, forwarded));
    expect(statuses).toEqual([200, 200, 429, 429, 200, 200, 429, 200, 200, 429]);
    await limited.close();
  });

  it('are refused before an identity source is asked when their tokens are wrong, but requests of known callers are served', async () => {
    const asked: string[] = [];
    const source: PersonSource = {
      accepts: () => true,
      identify: async (token) => {
        asked.push(token);
        return token === 'alice' ? { name: 'alice', groups: [], cluster: null } : undefined;
      },
    };
    const limited = await aServer(() => [...TOKENS, ...GRANTS], 2, [source]);
    const statuses = [];
    for (const token of ['alice', 'x', 'y', 'z', 'z', 'alice'])
      statuses.push(
        (await limited.inject({ method: 'GET', url: '/read/a', headers: bearer(token) })).statusCode,
      );
    expect(statuses).toEqual([200, 401, 401, 429, 429, 200]);
    expect(asked).toEqual(['alice', 'x', 'y', 'alice']);
    await limited.close();
  });
});

describe('a slow event loop of the API', () => {
  /** Holds up the event loop until every sample of a second is slow. Sleeps, so that it costs no CPU time. */
  async function slow(isEnough: () => boolean | Promise<boolean>): Promise<void> {
    const sleeper = new Int32Array(new SharedArrayBuffer(4));
    for (let round = 0; round < 60; round += 1) {
      Atomics.wait(sleeper, 0, 0, 1200);
      await new Promise(setImmediate);
      if (await isEnough()) return;
    }
    throw new Error('nothing happened in 60 rounds');
  }

  it('causes no refusal of a single request or a probe, but refusals of further requests when 50 have begun', async () => {
    await server.close();
    server = await aServer(undefined, 0, [], 250_000);
    let release = (): void => undefined;
    const released = new Promise<string>((resolve) => (release = () => resolve('well')));
    let rounds = 0;
    await slow(async () => {
      expect((await get('/read/a')).statusCode).toBe(200);
      return (rounds += 1) === 4;
    });
    fails = () => released;
    const begun = Array.from({ length: 50 }, () => get('/read/a'));
    let refused: Awaited<ReturnType<typeof get>> | undefined;
    await slow(async () => {
      const further = await Promise.race([get('/read/b'), new Promise(setImmediate)]);
      refused = further as typeof refused;
      return refused?.statusCode === 503;
    });
    expect(refused?.json()).toMatchObject({ detail: 'this process is overloaded; try again later' });
    expect(refused?.headers['retry-after']).toBe('5');
    expect((await get('/open', {})).statusCode).toBe(200);
    release();
    await Promise.all(begun);
  }, 300_000);
});

describe('every response of the API', () => {
  it('has headers that keep browsers from rendering or embedding the response', async () => {
    const { headers } = await get('/open', {});
    expect(headers['content-security-policy']).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
  });
});

describe('a request with a wrong method', () => {
  it.each([
    ['PUT', '/read/a', 'GET, HEAD'],
    ['PURGE', '/read/a?x=1', 'GET, HEAD'],
    ['GET', '/write', 'POST'],
  ])(
    'is answered with the status 405 and the methods of the path: %s %s (%s)',
    async (method, url, allow) => {
      const answer = await server.inject({
        method: method as 'GET',
        url,
        headers: { 'content-type': 'x/y' },
      });
      expect([answer.statusCode, answer.headers['allow']]).toEqual([405, allow]);
      expect(answer.json()).toMatchObject({ type: 'urn:jobledger:problem:method-not-allowed' });
    },
  );
});

describe('a response that lasts for a long time', () => {
  it('stays open while its token has the same rights', async () => {
    let tokens = TOKENS;
    const changing = await aServer(() => tokens);
    let isCurrent = async (): Promise<boolean> => false;
    changing.get('/last', { config: { scope: 'read' } }, (request) => {
      isCurrent = request.isCurrent;
      return Promise.resolve('begun');
    });
    await changing.inject({ method: 'GET', url: '/last', headers: bearer('read-token') });
    expect(await isCurrent()).toBe(true);
    tokens = accessEntriesIn(lines[0]?.replace('\n', ' in=east/a\n') ?? '', 'tokens');
    expect(await isCurrent()).toBe(false);
    tokens = accessEntriesIn(lines[1] ?? '', 'tokens');
    expect(await isCurrent()).toBe(false);
    await changing.close();
  });
});

describe('a person who calls the API', () => {
  const ENTRIES = accessEntriesIn(
    [lines[0], 'user:alice read', 'group:ops operate in=east/batch', 'user:eve read in=*/*'].join('\n'),
    'tokens',
  );
  const alice: Person = { name: 'alice', groups: ['ops'], cluster: null };
  let known: Record<string, Person>;
  let asked: string[];
  let isDown = false;
  const source = (prefix: string): PersonSource => ({
    accepts: (token) => token.startsWith(prefix),
    identify: async (token) => {
      asked.push(token);
      if (isDown) throw new UnavailableError('the provider is down');
      return known[token];
    },
  });

  beforeEach(() => {
    [known, asked, isDown] = [{ 'p.alice': alice }, [], false];
  });

  const ask = async (token: string, url = '/who'): Promise<[number, unknown]> => {
    const people = await aServer(() => ENTRIES, 2, [source('p.'), source('')]);
    people.get('/who', { config: { scope: 'read' } }, ({ caller }) => Promise.resolve(caller));
    people.get('/whose', { config: { scope: 'operate' } }, ({ caller }) => Promise.resolve(caller));
    const answer = await people.inject({ method: 'GET', url, headers: bearer(token) });
    await people.close();
    return [answer.statusCode, answer.json()];
  };

  it('has the scopes of all lines that name the person, and each scope only in the places of its line', async () => {
    const scopes = ['read', 'operate'];
    expect(await ask('p.alice')).toEqual([200, { name: 'alice', scopes, places: null, person: alice }]);
    const places = [{ cluster: 'east', namespace: 'batch' }];
    expect(await ask('p.alice', '/whose')).toEqual([200, { name: 'alice', scopes, places, person: alice }]);
  });

  it('has rights only in the cluster that identified the person', async () => {
    known['p.eve'] = { name: 'eve', groups: [], cluster: 'west' };
    expect(await ask('p.eve')).toMatchObject([200, { places: [{ cluster: 'west', namespace: '*' }] }]);
    known['p.alice'] = { ...alice, cluster: 'west' };
    expect(await ask('p.alice', '/whose')).toMatchObject([200, { places: [] }]);
  });

  it('has no scope when no line of the file names the person', async () => {
    known['p.bob'] = { name: 'bob', groups: ['alice'], cluster: null };
    expect(await ask('p.bob')).toMatchObject([403, { detail: '"bob" has no scope; this needs read' }]);
  });

  it('is unknown with an invalid token, and only the first source that accepts the form of the token receives the token', async () => {
    expect(await ask('p.unknown')).toMatchObject([401, { title: 'A token is needed' }]);
    expect(asked).toEqual(['p.unknown']);
  });

  it('is asked to retry when no identity source answers, while tokens of the file are accepted', async () => {
    isDown = true;
    expect(await ask('p.alice')).toMatchObject([503, { title: 'Temporarily unavailable' }]);
    expect(await ask('read-token')).toMatchObject([200, { name: 'reader', person: null }]);
  });
});

describe('an API without configured tokens', () => {
  it.each([
    [{ host: '127.0.0.1:8080' }, 200],
    [{ host: 'localhost:8080' }, 200],
    [{ host: '[::1]:8080' }, 200],
    [{ host: 'localhost', origin: 'http://localhost:3000' }, 200],
    [{ host: 'rebound.example.com' }, 403],
    [{ host: '10.0.0.7:8080' }, 403],
    [{ host: 'localhost:8080', origin: 'https://evil.example.com' }, 403],
    [{ host: 'localhost:8080', origin: 'null' }, 403],
  ])(
    'refuses requests that another site may have caused in a browser: a request with %j gets the status %i',
    async (headers, status) => {
      const open = await aServer(null);
      expect((await open.inject({ method: 'GET', url: '/read/a', headers })).statusCode).toBe(status);
      await open.close();
    },
  );
});

describe('a failing request to the API', () => {
  it.each([
    ['an unknown parameter', '/read/a?m=1', 'querystring: Unrecognized key: "m"'],
    ['a value of another type', '/read/a?n=x', 'querystring/n: '],
    ['a path that cannot be decoded', '/read/%zz', "'/read/%zz' is not a valid url component"],
  ])('is answered with 400 because of %s', async (_what, url, detail) => {
    const answer = await get(url);
    expect(answer.statusCode).toBe(400);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.json<{ detail: string }>().detail).toContain(detail);
  });

  it.each([
    ['a body that is too large', '{"text":"'.padEnd(2000, 'x'), 'application/json', 413],
    ['a body that is not JSON', '{"text":', 'application/json', 400],
    ['a body of another media type', 'text: x', 'application/yaml', 415],
    ['a body without a required field', '{}', 'application/json', 400],
  ])('is answered with the status that belongs to its cause: %s', async (_what, payload, type, status) => {
    const headers = { ...bearer('operate-token'), 'content-type': type };
    const answer = await server.inject({ method: 'POST', url: '/write', headers, payload });
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toMatchObject({ status, request_id: answer.headers['x-request-id'] });
  });

  it.each([
    ['lists', '['.repeat(450), ']'.repeat(450)],
    ['lists that do not end', '['.repeat(900), ''],
    ['objects', '{"a":'.repeat(160) + '1', '}'.repeat(160)],
    ['lists with a long integer', '['.repeat(400) + '9007199254740993', ']'.repeat(400)],
  ])('is answered with 400 when it has %s nested too deep', async (_what, begin, end) => {
    const headers = { ...bearer('operate-token'), 'content-type': 'application/json' };
    const payload = `{"spec":{"x":${begin}${end}}}`;
    const answer = await server.inject({ method: 'POST', url: '/exact', headers, payload });
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      expect.objectContaining({ detail: expect.stringContaining('nested deeper than 128') }),
    ]);
  });

  it('is answered with the accepted content types when its body has another type', async () => {
    const headers = { ...bearer('operate-token'), 'content-type': 'application/yaml' };
    const answer = await server.inject({ method: 'POST', url: '/write', headers, payload: 'text: x' });
    expect(answer.json<{ detail: string }>().detail).toContain('Content-Type: application/json');
  });

  const SECRET = 'postgres://jobledger:password@db/select * from secrets';
  it.each([
    ['a part that is down', new UnavailableError(SECRET), 503],
    ['a statement that took too long', new RefusedStatementError('57014', new Error(SECRET)), 504],
    ['missing tables', new RefusedStatementError('42P01', new Error(SECRET)), 503],
    ['a value that Postgres refuses', new RefusedStatementError('22021', new Error(SECRET)), 400],
    ['an invalid statement', new RefusedStatementError('42601', new Error(SECRET)), 500],
    ['an invalid configuration', new InputError(SECRET), 500],
    ['any failure', new JobledgerError(SECRET), 500],
    ['a mistake', new TypeError(SECRET), 500],
  ])('is answered without secrets and SQL when it fails because of %s', async (_what, error, status) => {
    fails = () => {
      throw error;
    };
    const answer = await get('/read/a');
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toMatchObject({ status });
    expect(answer.body).not.toMatch(/postgres|password|select/);
  });

  it('is answered with 504 when it takes too long', async () => {
    fails = () => new Promise(() => undefined);
    expect((await get('/read/a')).statusCode).toBe(504);
  });
});

describe('a request to the API', () => {
  it('is accepted although its texts have many brackets', async () => {
    const headers = { ...bearer('operate-token'), 'content-type': 'application/json' };
    const payload = JSON.stringify({ spec: { x: `"${'['.repeat(400)}\\` } });
    const answer = await server.inject({ method: 'POST', url: '/exact', headers, payload });
    expect([answer.statusCode, answer.body]).toEqual([200, payload]);
  });

  it('keeps the id in its header, or gets a new id', async () => {
    expect((await get('/open', { 'x-request-id': 'mine-1' })).headers['x-request-id']).toBe('mine-1');
    expect(logged).toContain('mine-1');
    const made = (await get('/open', { 'x-request-id': 'two words\n' })).headers['x-request-id'];
    expect(made).toMatch(/^[\da-f-]{36}$/);
  });

  it('is counted by its route, not by its path', async () => {
    await get('/read/a');
    await get('/read/b');
    await get('/nowhere/c', {});
    const samples = samplesIn(await metrics.text());
    expect(findSamples(samples, 'http_request_duration_seconds_count')).toEqual({
      '{code="200",method="GET",route="/read/:word"}': 2,
      '{code="404",method="GET",route="none"}': 1,
    });
  });
});

describe('a route of the API', () => {
  it('must declare its scope', async () => {
    const made = await aServer();
    expect(() => made.get('/forgotten', () => Promise.resolve('x'))).toThrow('/forgotten declares no scope');
    await made.close();
  });
});
