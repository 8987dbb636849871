import { execFile } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { writePrivately } from '../../infra/local/files.ts';
import { placePostgres, type PostgresPlace } from '../../infra/local/postgres-place.ts';
import { postgresServer } from '../../infra/local/postgres.ts';
import { LOOPBACK, reservePorts } from '../../infra/local/ports.ts';
import { createSupervisor } from '../../infra/processes/supervisor.ts';
import { eventually } from './eventually.ts';

/** A real Postgres with a streaming standby. */
export interface PostgresPair {
  /** Names the standby first, and asks for a server that takes writes. */
  databaseUrl: string;
  primaryUrl: string;
  standbyUrl: string;
  /** Resolves when the standby has everything that the primary has now. */
  caughtUp(): Promise<void>;
  /** The standby receives nothing more. */
  disconnect(): Promise<void>;
  stopPrimary(): Promise<void>;
  promoteStandby(): Promise<void>;
  stop(): Promise<void>;
}

export async function startPostgresPair(): Promise<PostgresPair> {
  const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-pair-'));
  const port = await reservePorts(join(stateDir, 'ports.json'), ['primary', 'standby']);
  const supervisor = createSupervisor({
    runDir: join(stateDir, 'run'),
    logsDir: stateDir,
    say: () => undefined,
  });
  const [first, second] = [join(stateDir, 'primary'), join(stateDir, 'standby')];
  const primary = postgresServer({ stateDir: first, port: port('primary') });
  await supervisor.start({ ...primary.spec, name: 'primary' });
  const { username, password } = new URL(primary.databaseUrl);
  writePrivately(join(second, 'postgres', 'password'), password);
  const standby = postgresServer({ stateDir: second, port: port('standby') });
  await copyData(primary.databaseUrl, placePostgres(first), placePostgres(second), {
    primary_conninfo: `host=${LOOPBACK} port=${port('primary')} user=${username} password=${password}`,
  });
  await supervisor.start({ ...standby.spec, name: 'standby' });
  return {
    databaseUrl: primary.databaseUrl
      .replace('@', `@${LOOPBACK}:${port('standby')},`)
      .concat('?target_session_attrs=read-write'),
    primaryUrl: primary.databaseUrl,
    standbyUrl: standby.databaseUrl,
    async caughtUp() {
      const [{ end }] = await ask<[{ end: string }]>(
        primary.databaseUrl,
        'select pg_current_wal_flush_lsn() as end',
      );
      await eventually('the standby has everything', 30, async () => {
        const [{ has }] = await ask<[{ has: boolean }]>(
          standby.databaseUrl,
          `select pg_last_wal_replay_lsn() >= '${end}' as has`,
        );
        return has ? true : undefined;
      });
    },
    async disconnect() {
      await ask(standby.databaseUrl, "alter system set primary_conninfo = ''");
      await ask(standby.databaseUrl, 'select pg_reload_conf()');
      await eventually('the standby receives nothing more', 30, async () => {
        const receivers = await ask<unknown[]>(standby.databaseUrl, 'select from pg_stat_wal_receiver');
        return receivers.length === 0 ? true : undefined;
      });
    },
    stopPrimary: () => supervisor.halt('primary'),
    promoteStandby: () => ask(standby.databaseUrl, 'select pg_promote()'),
    async stop() {
      await supervisor.stop();
      for (const folder of [first, second])
        rmSync(placePostgres(folder).home, { recursive: true, force: true });
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

async function ask<Rows>(url: string, text: string): Promise<Rows> {
  const client = new Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows as Rows;
  } finally {
    await client.end();
  }
}

/** A base backup. */
async function copyData(
  url: string,
  from: PostgresPlace,
  to: PostgresPlace,
  settings: Record<string, string>,
): Promise<void> {
  const data = join(to.home, 'data');
  const client = new Client(url);
  await client.connect();
  await client.query("select pg_backup_start('standby', true)");
  // With its owner, as which Postgres runs.
  await promisify(execFile)('cp', ['-a', join(from.home, 'data'), data]);
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
  await client.end();
  rmSync(join(data, 'postmaster.pid'), { force: true });
  const own = {
    backup_label: rows[0]?.labelfile ?? '',
    'standby.signal': '',
    'postgresql.auto.conf': Object.entries(settings)
      .map(([name, value]) => `${name} = '${value}'\n`)
      .join(''),
  };
  for (const [name, text] of Object.entries(own)) {
    writeFileSync(join(data, name), text);
    if (to.user !== undefined) chownSync(join(data, name), to.user.uid, to.user.gid);
  }
}
