import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { JobledgerError } from '../../../services/adapters/errors.ts';
import { plainEnvironment } from '../processes/child.ts';
import type { ChildSpec } from '../processes/keep-running.ts';
import { runToEnd } from '../processes/run-to-end.ts';
import { keptText } from '../state/files.ts';
import { LOOPBACK } from '../state/ports.ts';
import { placePostgres, type PostgresPlace } from './postgres-place.ts';
import { STOP } from '../processes/stop-order.ts';
import { retryUntilResolved } from '../processes/until.ts';

const NAME = 'jobledger';

/** Postgres 18 with one superuser and one database, both `jobledger`. */
export function planPostgresServer(at: {
  stateDir: string;
  port: number;
  /** Further settings, `name=value`. */
  settings?: readonly string[];
}): {
  spec: ChildSpec;
  databaseUrl: string;
} {
  const place = placePostgres(at.stateDir);
  const dataDir = path.join(place.home, 'data');
  const password = keptText(path.join(at.stateDir, 'postgres', 'password'), () =>
    randomBytes(18).toString('base64url'),
  );
  const databaseUrl = (database: string): string =>
    `postgres://${NAME}:${password}@${LOOPBACK}:${at.port}/${database}`;
  const settings = [...SETTINGS, ...(at.settings ?? [])];
  const spec: ChildSpec = {
    name: 'postgres',
    ...STOP.server,
    async prepare(signal) {
      await createDataDirectory(place, dataDir, { password, signal });
      await endStrayBackends(dataDir);
      rmSync(path.join(dataDir, 'postmaster.pid'), { force: true });
    },
    command: () => ({
      file: path.join(place.binDir, 'postgres'),
      args: ['-D', dataDir, '-p', String(at.port), ...settings.flatMap((setting) => ['-c', setting])],
      cwd: place.home,
      env: plainEnvironment({ LC_ALL: 'C', TZ: 'UTC' }),
      // SIGINT requests a fast shutdown; after SIGTERM, Postgres would wait until all clients have disconnected.
      stopSignal: 'SIGINT' as const,
      ...(place.user === undefined ? {} : { user: place.user }),
    }),
    ready: (_child, signal) => retryUntilResolved(() => makeDatabase(databaseUrl('postgres')), signal),
  };
  return { spec, databaseUrl: databaseUrl(NAME) };
}

const SETTINGS = [
  `listen_addresses=${LOOPBACK}`,
  'unix_socket_directories=',
  'max_connections=200',
  'timezone=UTC',
  'log_timezone=UTC',
];

/** Creates the data directory; it appears whole or not at all. */
async function createDataDirectory(
  place: PostgresPlace,
  dataDir: string,
  given: { password: string; signal: AbortSignal },
): Promise<void> {
  if (existsSync(dataDir)) return;
  const draft = `${dataDir}.draft`;
  const passwordFile = path.join(place.home, 'initial-password');
  rmSync(draft, { recursive: true, force: true });
  rmSync(passwordFile, { force: true });
  writeFileSync(passwordFile, given.password, { mode: 0o600 });
  if (place.user !== undefined) chownSync(passwordFile, place.user.uid, place.user.gid);
  const initdb = path.join(place.binDir, 'initdb');
  makeExecutable([initdb, path.join(place.binDir, 'postgres')]);
  const args = [
    '-D',
    draft,
    '-U',
    NAME,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--no-sync',
  ];
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const failure = 'initdb could not create the data directory of the embedded Postgres';
  try {
    await runToEnd(failure, [initdb, ...args, ...locale], {
      ...place.user,
      cwd: place.home,
      env: plainEnvironment({ LC_ALL: 'C', TZ: 'UTC' }),
      signal: given.signal,
    });
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(draft, dataDir);
}

/** Restores the executable bit, which npm packages do not always keep. */
function makeExecutable(programs: readonly string[]): void {
  for (const program of programs) {
    try {
      accessSync(program, constants.X_OK);
    } catch {
      chmodSync(program, 0o755);
    }
  }
}

/** Waits for the backends of a killed postmaster, which outlive it briefly and prevent a new start; kills them after 1 s. */
async function endStrayBackends(dataDir: string): Promise<void> {
  for (let waited = 0; processesIn(dataDir).length > 0; waited += 1) {
    if (waited === 20) for (const pid of processesIn(dataDir)) process.kill(pid, 'SIGKILL');
    if (waited === 60)
      throw new JobledgerError(
        `processes of an earlier Postgres still use ${dataDir}: ${processesIn(dataDir).join(', ')}`,
      );
    await delay(50);
  }
}

/**
 * The processes whose working directory is the data directory, which are only processes of Postgres. The list is empty
 * except on Linux.
 */
function processesIn(dataDir: string): number[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  return pids.filter((pid) => workingDirectory(pid) === dataDir).map(Number);
}

function workingDirectory(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

async function makeDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [NAME]);
    if (rowCount === 0) await client.query(`create database ${NAME}`);
  } finally {
    await client.end();
  }
}
