import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import {
  createAuthority,
  issueCertificate,
  type KeyPair,
} from '../../../../infra/local/cluster/certificates.ts';
import { parseLogRequest } from '../../../../infra/local/node-agent/logs/log-request.ts';
import { startLogServer } from '../../../../infra/local/node-agent/logs/log-server.ts';
import { byteSince, timeOfByte } from '../../../../infra/local/node-agent/logs/log-times.ts';
import type { ContainerAttempt, PodRecord } from '../../../../infra/local/node-agent/pod/pod-record.ts';
import { createMemory, type Memory } from '../../../../infra/local/node-agent/process/memory.ts';
import { aStateDirectory } from './a-node.ts';
import { aPod, aRecord, ended, NOW, running } from './builders.ts';

describe('a request for a log', () => {
  it('is parsed in the form in which kubectl writes it', () => {
    const url =
      '/containerLogs/default/pi/main?follow=true&tailLines=5&sinceSeconds=60&timestamps=true&limitBytes=9';
    expect(parseLogRequest(url, NOW)).toEqual({
      namespace: 'default',
      pod: 'pi',
      container: 'main',
      follow: true,
      previous: false,
      timestamps: true,
      tailLines: 5,
      limitBytes: 9,
      since: NOW - 60_000,
    });
  });

  it.each(['/', '/exec/default/pi/main', '/containerLogs/default/pi', '/containerLogs/default/pi/main/x'])(
    'is refused when its path is %s',
    (url) => {
      expect(parseLogRequest(url, NOW)).toBeUndefined();
    },
  );
});

describe('the times in a log', () => {
  const times = [
    { at: 1000, size: 10 },
    { at: 2000, size: 25 },
  ];

  it('are the times at which the agent first read a line', () => {
    expect([0, 9, 10, 24, 25].map((offset) => timeOfByte(times, offset, 9000))).toEqual([
      1000, 1000, 2000, 2000, 9000,
    ]);
  });

  it('locate the lines that were written since an instant', () => {
    expect([500, 1500, 2500].map((since) => byteSince(times, since, 30))).toEqual([0, 10, 25]);
  });
});

const COMMON_NAME = 'test authority';

describe('the log endpoint of the node agent', () => {
  let state: ReturnType<typeof aStateDirectory>;
  let memory: Memory;
  let server: { port: number; close: () => void };
  let authority: KeyPair;
  let record: PodRecord;

  beforeEach(async () => {
    state = aStateDirectory();
    memory = createMemory(path.join(state.directory, 'node'));
    authority = await createAuthority(COMMON_NAME);
    const own = await issueCertificate(authority, { commonName: 'node' }, { servesAt: ['127.0.0.1'] });
    const file = (name: string, content: string): string => {
      writeFileSync(path.join(state.directory, name), content);
      return path.join(state.directory, name);
    };
    const tls = {
      cert: file('cert', own.certificate),
      key: file('key', own.key),
      clientCa: file('ca', authority.certificate),
    };
    record = aRecord();
    const worker = {
      pod: aPod(),
      record,
      update: () => undefined,
      remove: () => undefined,
      close: () => undefined,
    };
    const pods = { find: (_namespace: string, name: string) => (name === 'pi' ? worker : undefined) };
    server = await startLogServer({
      address: '127.0.0.1',
      port: 0,
      tls,
      pods,
      memory,
      mayRead: (holder) => Promise.resolve(holder.name === 'api'),
      log: pino({ level: 'silent' }),
    });
  });

  afterEach(() => {
    server.close();
    state.remove();
  });

  const write = (attempt: ContainerAttempt, content: string): void => {
    const files = memory.attempt('uid-1', 'main', attempt.number);
    mkdirSync(files.directory, { recursive: true });
    writeFileSync(files.log, content);
    record.attempts['main'] = [...(record.attempts['main'] ?? []), attempt];
  };
  const open = async (
    url: string,
    by = authority,
    commonName = 'api',
  ): Promise<{ status: number | undefined; body: NodeJS.ReadableStream }> => {
    const client = await issueCertificate(by, { commonName }, 'client');
    const request = https.get(`https://127.0.0.1:${server.port}${url}`, {
      ca: authority.certificate,
      cert: client.certificate,
      key: client.key,
      agent: false,
    });
    const [answer] = (await once(request, 'response')) as [import('node:http').IncomingMessage];
    return { status: answer.statusCode, body: answer };
  };
  const get = async (query = '', pod = 'pi'): Promise<[number | undefined, string]> => {
    const { status, body } = await open(`/containerLogs/default/${pod}/main${query}`);
    return [status, await text(body)];
  };

  it.each([
    ['', 'one\ntwo\nthree\n'],
    ['?tailLines=2', 'two\nthree\n'],
    ['?tailLines=0', ''],
    ['?tailLines=9', 'one\ntwo\nthree\n'],
    ['?limitBytes=5', 'one\nt'],
    ['?tailLines=1&timestamps=true', '2026-05-04T12:00:00.000Z three\n'],
  ])('returns the part of the log that the query "%s" requests', async (query, content) => {
    write(ended(0), 'one\ntwo\nthree\n');
    expect(await get(query)).toEqual([200, content]);
  });

  it('returns the last 20,000 of 50,000 lines', async () => {
    const lines = Array.from({ length: 50_000 }, (_line, number) => `line ${number}\n`);
    write(ended(0), lines.join(''));
    expect((await get('?tailLines=20000'))[1]).toBe(lines.slice(-20_000).join(''));
  });

  it('returns the log of the previous attempt of a container when the query says previous=true', async () => {
    write(ended(1), 'first\n');
    write(running({ number: 1 }), 'second\n');
    expect(await get('?previous=true')).toEqual([200, 'first\n']);
    expect(await get()).toEqual([200, 'second\n']);
  });

  it('follows a log until its container ends', async () => {
    const attempt = running();
    write(attempt, 'one\n');
    const { body } = await open('/containerLogs/default/pi/main?follow=true');
    const [first] = (await once(body, 'data')) as [Buffer];
    appendFileSync(memory.attempt('uid-1', 'main', 0).log, 'two\n');
    attempt.end = { exitCode: 0, reason: 'Completed', finishedAt: NOW };
    expect(first.toString()).toBe('one\n');
    expect(await text(body)).toBe('two\n');
  });

  it.each([
    ['pi', '', 400, 'container "main" in pod "pi" is waiting to start: ContainerCreating'],
    ['pi', '?previous=true', 400, 'previous terminated container "main" in pod "pi" not found'],
    ['other', '', 404, 'pod "other" not found on this node'],
  ])(
    'answers with the reason when there is no log: pod %s, query "%s"',
    async (pod, query, status, message) => {
      expect(await get(query, pod)).toEqual([status, message]);
    },
  );

  it('answers /healthz with 200', async () => {
    expect((await open('/healthz')).status).toBe(200);
  });

  it('refuses logs to the holder of a certificate who may not read logs', async () => {
    write(ended(0), 'one\n');
    const { status, body } = await open('/containerLogs/default/pi/main', authority, 'tenant');
    expect([status, await text(body)]).toEqual([403, '"tenant" may not read the logs of this node\n']);
  });

  it('rejects clients whose certificate another authority has issued', async () => {
    await expect(open('/healthz', await createAuthority(COMMON_NAME))).rejects.toThrow(
      /alert|ECONNRESET|hang up/,
    );
  });
});
