import { execFile } from 'node:child_process';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { writePrivately } from '../../infra/local/state/files.ts';
import { LOOPBACK, reservePorts } from '../../infra/local/state/ports.ts';
import type { PostgresPlace } from '../../infra/local/servers/postgres-place.ts';
import { STOP } from '../../infra/local/processes/stop-order.ts';
import { retryUntilResolved } from '../../infra/local/processes/until.ts';
import { plainEnvironment } from '../../infra/local/processes/child.ts';
import type { ChildSpec } from '../../infra/local/processes/keep-running.ts';
import type { Say } from '../../infra/local/tools/cache.ts';
import { readOutput } from '../../infra/local/tools/prerequisite.ts';
import { InputError } from '../../services/adapters/errors.ts';
import type { PostgresAddress } from '../support/postgres-pair.ts';

const PACKAGE = 'pgbouncer';
const DATABASE = 'jobledger';

/** Installs PgBouncer from Debian when it is missing. @throws InputError with the command when that is not possible. */
export async function requirePgBouncer(report: Say): Promise<string> {
  const isThere = async (): Promise<boolean> => (await readOutput('pgbouncer', ['--version'])) !== undefined;
  if (await isThere()) return 'pgbouncer';
  const command = `apt-get install -y --no-install-recommends ${PACKAGE}`;
  if (process.getuid?.() === 0 && (await readOutput('apt-get', ['--version'])) !== undefined) {
    report(command);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    await promisify(execFile)('sh', ['-c', `apt-get update && ${command}`], { env });
    if (await isThere()) return 'pgbouncer';
  }
  throw new InputError(`the suite needs PgBouncer, which is missing: ${command}`);
}

/** PgBouncer in transaction mode before the primary. It runs as the user of Postgres, because it refuses to run as root. */
export async function pgBouncer(
  name: string,
  stateDir: string,
  postgres: PostgresAddress,
  place: PostgresPlace,
  report: Say,
): Promise<{ spec: ChildSpec; databaseUrl: string }> {
  const program = await requirePgBouncer(report);
  const port = (await reservePorts(join(stateDir, 'pgbouncer-ports.json'), [name]))(name);
  const { host, port: behind, user, password } = postgres;
  const file = (fileName: string, text: string): string => {
    const path = writePrivately(join(place.home, fileName), text);
    if (place.user !== undefined) chownSync(path, place.user.uid, place.user.gid);
    return path;
  };
  const users = file('pgbouncer-users.txt', `"${user}" "${password}"\n`);
  const settings = file(
    'pgbouncer.ini',
    `[databases]
${DATABASE} = host=${host} port=${behind} dbname=${DATABASE}
[pgbouncer]
listen_addr = ${LOOPBACK}
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
max_client_conn = 500
default_pool_size = 20
server_login_retry = 1
`,
  );
  const databaseUrl = `postgres://${user}:${password}@${LOOPBACK}:${port}/${DATABASE}`;
  const spec: ChildSpec = {
    name,
    ...STOP.server,
    command: () => ({
      file: program,
      args: ['-q', settings],
      cwd: place.home,
      env: plainEnvironment(),
      stopSignal: 'SIGINT' as const,
      ...(place.user === undefined ? {} : { user: place.user }),
    }),
    ready: (_child, signal) => retryUntilResolved(() => selectOne(databaseUrl), signal),
  };
  return { spec, databaseUrl };
}

async function selectOne(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('select 1');
  } finally {
    await client.end();
  }
}
