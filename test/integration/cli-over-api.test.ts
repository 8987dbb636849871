import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createReads } from '../../services/api/reads.ts';
import { aJob, jobObserved } from '../projector/builders.ts';
import {
  aProjector,
  emptied,
  toRecords,
  startPostgres,
  TOPIC,
  type HandFedProjector,
  type RealPostgres,
} from '../projector/real-postgres.ts';
import { aStory } from '../projector/story.ts';
import { makeCertificates } from '../support/certificates.ts';
import { eventually } from '../support/eventually.ts';
import { foldsInline } from '../support/folds-inline.ts';
import { listeningApi, type ListeningApi } from '../support/listening-api.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';

jest.setTimeout(60_000);

const CLI = 'cli/jobledger.mjs';

/** Returns an observation of a Job with any name. */
function observed(at: number, name: string, fields: Parameters<typeof aJob>[0]): LedgerEvent {
  const metadata = { uid: `${name}-1`, name };
  return { ...jobObserved(at, aJob({ ...fields, metadata }), metadata.uid), subject: `default/${name}` };
}

const OPEN = observed(0, 'slow', { version: 2 });

let postgres: RealPostgres;
let projector: HandFedProjector;
let api: ListeningApi;
let folder: string;
let environment: NodeJS.ProcessEnv;
/** All events so far. */
const events: LedgerEvent[] = [OPEN, ...aStory()];

/** This number of streams is open. */
let streams = 0;
let stopping = new AbortController();

async function startApi(port = 0): Promise<void> {
  const { database } = postgres;
  stopping = new AbortController();
  const count = (open: number): void => {
    streams = open;
  };
  const { signal } = stopping;
  const stream = { run: database.run, topic: TOPIC, maxStreams: 10, maxStreamsOfCaller: 10, signal, count };
  api = await listeningApi(
    { reads: createReads(database), folds: foldsInline(database.run), events: stream },
    port,
  );
}

async function stopApi(): Promise<void> {
  stopping.abort();
  await api?.close();
}

beforeAll(async () => {
  postgres = await startPostgres();
  const { database } = postgres;
  await emptied(database);
  projector = aProjector(database);
  await projector.project(toRecords(events));
  await startApi();
  folder = mkdtempSync(join(tmpdir(), 'jobledger-cli-'));
  writeFileSync(join(folder, 'token'), 'reader-token\n');
  const { PATH, HOME } = process.env;
  environment = { PATH, HOME, XDG_CONFIG_HOME: folder };
});
afterAll(async () => {
  await stopApi();
  await postgres?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

interface Ran {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs the compiled command line as a process. */
function jobledger(args: readonly string[], more: NodeJS.ProcessEnv = {}, input = ''): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      'node',
      [CLI, ...args],
      { env: { ...environment, ...more } },
      (error, stdout, stderr) => resolve({ exitCode: Number(error?.code ?? 0), stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

function overApi(...args: string[]): Promise<Ran> {
  return jobledger(args, { JOBLEDGER_SERVER: api.url, JOBLEDGER_TOKEN_FILE: join(folder, 'token') });
}

interface Started {
  child: ChildProcess;
  printed: () => string;
  ended: Promise<number | null>;
}

function started(...args: string[]): Started {
  const env = { ...environment, JOBLEDGER_SERVER: api.url, JOBLEDGER_TOKEN_FILE: join(folder, 'token') };
  const child = spawn('node', [CLI, ...args], { env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  return { child, printed: () => printed, ended };
}

async function project(event: LedgerEvent): Promise<void> {
  events.push(event);
  await projector.project(toRecords(events).slice(-1));
}

describe('a verb of the command line', () => {
  it.each([
    ['get', '--deleted', '-o', 'json'],
    ['get', 'pi', '-o', 'yaml'],
    ['get', 'pi', '--deleted', '-o', 'json'],
    ['describe', 'pi'],
    ['history', 'pi'],
    ['why', 'pod/pi-a'],
    ['why', 'job/pi'],
    ['replay', 'pi'],
    ['what-if', '--all', '--set', 'spec.backoffLimit=0'],
  ])(
    'prints the same output through the API as with direct access to Postgres: %s %s %s %s',
    async (...args) => {
      const [through, direct] = await Promise.all([
        overApi(...args),
        jobledger([...args, '--state-dir', postgres.stateDir]),
      ]);
      expect(through).toEqual({ exitCode: 0, stdout: direct.stdout, stderr: '' });
      expect(direct.stdout).not.toBe('');
    },
  );

  it('prints the same events as JSON through the API as with direct access, although the fields may have another order', async () => {
    const args = ['history', 'pi', '-o', 'json'];
    const direct = await jobledger([...args, '--state-dir', postgres.stateDir]);
    const through = JSON.parse((await overApi(...args)).stdout) as unknown[];
    expect(through).toEqual(JSON.parse(direct.stdout));
    expect(through).toHaveLength(15);
  });
});

describe('the verb login', () => {
  it('reads the token from the standard input, and stores it in a file that only the user can read', async () => {
    const login = await jobledger(['login', api.url, '--name', 'test'], {}, 'reader-token\n');
    expect(login).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('as reader') });
    expect(login.stdout + login.stderr).not.toContain('reader-token');
    const file = join(folder, 'jobledger', 'config.yaml');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { exitCode, stdout } = await jobledger(['get', 'slow', '-o', 'name']);
    expect([exitCode, stdout]).toEqual([0, 'east/default/slow\n']);
    expect(await jobledger(['logout'])).toMatchObject({ exitCode: 0 });
  });
});

describe('the verb get with --watch', () => {
  it('prints the Jobs that change, as their events arrive', async () => {
    const watch = started('get', '-w');
    await eventually('the rows', 30, async () =>
      /^CLUSTER .*\n.* slow +External .*\n$/.test(watch.printed()) ? true : undefined,
    );
    await project(observed(100, 'other', { version: 3 }));
    await eventually('the rows', 30, async () =>
      / slow +External .*\n.* other +External .*\n$/.test(watch.printed()) ? true : undefined,
    );
    watch.child.kill('SIGINT');
    expect(await watch.ended).toBe(0);
  });
});

describe('the verb wait', () => {
  it('ends when the Job ends, with an exit status that shows whether the Job ended as requested', async () => {
    const waits = [started('wait', 'slow', '--for', 'ended'), started('wait', 'slow', '--for', 'failed')];
    const late = await overApi('wait', 'slow', '--timeout', '1s');
    expect(late).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('not ended after 1 s') });
    const conditions = [{ type: 'Complete', status: 'True', lastTransitionTime: '2026-04-01T00:02:00Z' }];
    const status = { succeeded: 1, conditions, completionTime: '2026-04-01T00:02:00Z' };
    await project(observed(120, 'slow', { version: 50, status }));
    expect(await Promise.all(waits.map(({ ended }) => ended))).toEqual([0, 4]);
    expect(waits.map(({ printed }) => printed())).toEqual([
      'east/default/slow: Succeeded\n',
      'jobledger: east/default/slow: Succeeded\n',
    ]);
  });
});

describe('an API that restarts', () => {
  it('does not end a running "jobledger wait", which still reports the end of its Job', async () => {
    await project(observed(130, 'again', { version: 60 }));
    const wait = started('wait', 'again');
    await eventually('the stream', 30, () => Promise.resolve(streams === 1 ? true : undefined));
    const port = Number(new URL(api.url).port);
    await stopApi();
    const conditions = [{ type: 'Complete', status: 'True', lastTransitionTime: '2026-04-01T00:02:20Z' }];
    const status = { succeeded: 1, conditions, completionTime: '2026-04-01T00:02:20Z' };
    await project(observed(140, 'again', { version: 61, status }));
    await startApi(port);
    expect(await wait.ended).toBe(0);
    expect(wait.printed()).toContain('east/default/again: Succeeded\n');
  });
});

describe('a command line that cannot be carried out', () => {
  it.each([
    ['an unknown Job', ['get', 'unheard'], 2, /no Job named "unheard" was ever seen/],
    ['an unknown verb', ['gett'], 2, /there is no verb "gett"/],
    ['a verb of the servers', ['admin', 'verify', '--all', '--server', 'https://x'], 2, /not through an API/],
    ['a token that is unknown', ['get', '--token-file', CLI], 2, /does not contain a token/],
    ['a server that is not there', ['get', '--server', 'http://127.0.0.1:1'], 1, /cannot be reached/],
  ])('ends with its exit status and a reason: %s', async (_what, args, exitCode, reason) => {
    expect(await overApi(...args)).toMatchObject({ exitCode, stderr: expect.stringMatching(reason) });
  });
});

describe('an API whose certificate a private authority has signed', () => {
  it('is trusted by the verb login when the user names the certificate of the authority, and otherwise not, with advice', async () => {
    const { ca, serverCert, serverKey } = await makeCertificates(folder);
    const server = createServer(
      { cert: readFileSync(serverCert), key: readFileSync(serverKey) },
      (_request, response) =>
        response.end(
          '{"name":"tls","groups":[],"scopes":["read"],"rights":[{"scope":"read","places":null}]}',
        ),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      expect(await jobledger(['login', url])).toMatchObject({
        exitCode: 1,
        stderr: expect.stringMatching(
          /cannot be reached; give the CA that signed .* with --ca-file: .*certificate/,
        ),
      });
      expect((await jobledger(['login', url, '--ca-file', ca])).stdout).toContain(
        'as tls with the scopes read',
      );
    } finally {
      server.close();
    }
  });
});

describe('the start of a command-line process', () => {
  async function loadedModules(...args: string[]): Promise<string[]> {
    const list = join(folder, `modules-${args[0]}`);
    const { exitCode } = await jobledger(args, {
      NODE_OPTIONS: `--import ${join(process.cwd(), 'test/support/list-modules.mjs')}`,
      LIST_MODULES: list,
      JOBLEDGER_SERVER: api.url,
      JOBLEDGER_TOKEN_FILE: join(folder, 'token'),
    });
    expect(exitCode).toBe(0);
    return readFileSync(list, 'utf8').trim().split('\n');
  }

  it('loads fewer than 30 modules for --help', async () => {
    const modules = await loadedModules('--help');
    expect(modules.length).toBeLessThan(30);
    expect(modules.filter((each) => /node_modules\/(?!commander\/)/.test(each))).toEqual([]);
  });

  it('loads, for get through the API, no library of the services, and no schema library if the API has the same version', async () => {
    const modules = await loadedModules('get', '-o', 'name');
    const libraries = /node_modules\/(pg|kafkajs|@temporalio|@kubernetes|fastify|pino|prom-client|undici)\//;
    expect(modules.filter((each) => libraries.test(each))).toEqual([]);
    expect(modules.filter((each) => /node_modules\/(zod|yaml)\//.test(each))).toEqual([]);
  });
});
