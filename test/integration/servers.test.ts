import { createServer, type Server } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { startLocalServers, type LocalServers } from '../../infra/local/local-servers.ts';

/** A start of servers takes seconds, and a build of them takes minutes. */
const START_MS = 15 * 60_000;

let base: string;
let running: LocalServers | undefined;
const output: string[] = [];

const start = async (options: { stateDir?: string; temporal?: boolean } = {}): Promise<LocalServers> => {
  const stateDir = options.stateDir ?? path.join(base, 'state');
  running = await startLocalServers({
    stateDir,
    postgres: true,
    temporal: options.temporal === true,
    report: (line) => output.push(line),
  });
  return running;
};

const query = async (servers: LocalServers, text: string): Promise<unknown[]> => {
  const client = new Client({ connectionString: servers.addresses.databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
};

beforeAll(() => {
  base = mkdtempSync(path.join(os.tmpdir(), 'jobledger-servers-'));
});

afterEach(async () => {
  await running?.stop();
  running = undefined;
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('embedded servers', () => {
  it(
    'keep their data and their ports across a stop and a second start',
    async () => {
      const first = await start();
      await query(first, 'create table kept as select 7 as seven');
      await first.stop();
      const second = await start();
      expect(second.addresses).toEqual(first.addresses);
      expect(await query(second, 'select seven from kept')).toEqual([{ seven: 7 }]);
    },
    START_MS,
  );

  it(
    'are started again and reported after a kill -9, and retain their data',
    async () => {
      const servers = await start({ temporal: true });
      const before = servers.names.map((name) => servers.pid(name));
      for (const name of servers.names) await servers.kill(name);
      for (const name of servers.names) await servers.answers(name);
      const after = servers.names.map((name) => servers.pid(name));
      for (const pid of after) expect(before).not.toContain(pid);
      expect(output).toContain('postgres ended (SIGKILL); restarting it');
      expect(output).toContain('temporal ended (SIGKILL); restarting it');
      expect(await query(servers, 'select seven from kept')).toEqual([{ seven: 7 }]);
    },
    START_MS,
  );

  it(
    'refuse a second start on the same state directory while the first process runs, and name the process',
    async () => {
      const servers = await start();
      await expect(startLocalServers({ stateDir: path.join(base, 'state'), postgres: true })).rejects.toThrow(
        `in use: jobledger admin servers has been running there`,
      );
      expect(await query(servers, 'select 1 as one')).toEqual([{ one: 1 }]);
    },
    START_MS,
  );

  it(
    'refuse to start, and name the port, when another program uses one of their ports',
    async () => {
      const ports = JSON.parse(readFileSync(path.join(base, 'state', 'ports.json'), 'utf8')) as Record<
        string,
        number
      >;
      const other = await listenOn(ports['postgres'] ?? 0);
      try {
        await expect(start()).rejects.toThrow(
          `port ${ports['postgres']} of postgres is in use by another program`,
        );
      } finally {
        other.close();
      }
    },
    START_MS,
  );
});

function listenOn(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
