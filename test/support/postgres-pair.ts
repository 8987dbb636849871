import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { writePrivately } from '../../infra/local/state/files.ts';
import { LOOPBACK, reservePorts } from '../../infra/local/state/ports.ts';
import { placePostgres, type PostgresPlace } from '../../infra/local/servers/postgres-place.ts';
import { planPostgresServer } from '../../infra/local/servers/postgres.ts';
import type { Supervisor } from '../../infra/local/processes/supervisor.ts';
import { eventually } from './eventually.ts';
import { startForwarder, type Forwarder } from './forwarder.ts';
import { killForGood } from './processes.ts';

export interface PostgresAddress {
  host: string;
  port: number;
  user: string;
  password: string;
}

/** A primary, and a standby to which it streams: every commit waits for the standby, unless that lags. */
export interface PostgresPair {
  /** Where the primary is found, whichever of the two it is. */
  address: PostgresAddress;
  /** Where each of the two keeps its files, and the user that it runs as. */
  place: PostgresPlace;
  primary(): string;
  standby(): string;
  /** The address of the server of a name itself. */
  getAddress(name: string): PostgresAddress;
  /** From now on the standby receives nothing, and the primary does not wait for it. */
  lag(): Promise<void>;
  /** Kills the primary for good. */
  killPrimary(): Promise<void>;
  /** Kills the primary unless it is dead, and makes the standby the primary; what that had not received is lost. */
  promote(): Promise<void>;
  /** Makes a standby of the other one, from a copy of the primary. */
  attach(): Promise<void>;
  /** Closes the address; the supervisor stops the servers. */
  stop(): Promise<void>;
}

const NAME = 'jobledger';
const SETTINGS = [
  'wal_level=replica',
  'max_wal_senders=4',
  'hot_standby=on',
  'wal_keep_size=256MB',
  'wal_sender_timeout=10s',
  'wal_receiver_timeout=10s',
];

interface Node {
  name: string;
  port: number;
  dataDir: string;
  place: PostgresPlace;
  spec: ReturnType<typeof planPostgresServer>['spec'];
}

/** Starts the first as the primary and the second as its standby. */
export async function startPostgresPair(
  stateDir: string,
  names: readonly [string, string],
  supervisor: Supervisor,
): Promise<PostgresPair> {
  const port = await reservePorts(join(stateDir, 'postgres-ports.json'), names);
  const password = randomBytes(18).toString('base64url');
  const createNode = (name: string): Node => {
    const home = join(stateDir, name);
    mkdirSync(home, { recursive: true });
    writePrivately(join(home, 'postgres', 'password'), password);
    const { spec } = planPostgresServer({ stateDir: home, port: port(name), settings: SETTINGS });
    const place = placePostgres(home);
    return { name, port: port(name), dataDir: join(place.home, 'data'), place, spec: { ...spec, name } };
  };
  let [primary, standby] = names.map(createNode) as [Node, Node];
  const forwarder: Forwarder = await startForwarder(() => `${LOOPBACK}:${primary.port}`);
  const on = <T>(node: Node, work: (client: Client) => Promise<T>): Promise<T> =>
    onDatabase({ host: LOOPBACK, port: node.port, user: NAME, password }, work);

  const attach = async (): Promise<void> => {
    await copyData(primary, standby, (work) => on(primary, work), password);
    await supervisor.start(standby.spec);
    await eventually('the standby receives from the primary', 60, () =>
      on(primary, async (client) => {
        const { rowCount } = await client.query("select from pg_stat_replication where state = 'streaming'");
        return rowCount === 1 ? true : undefined;
      }),
    );
    await on(primary, (client) => setting(client, 'synchronous_standby_names', '*'));
  };
  await supervisor.start(primary.spec);
  await attach();
  return {
    address: { host: forwarder.host, port: forwarder.port, user: NAME, password },
    place: primary.place,
    getAddress: (name) => ({
      host: LOOPBACK,
      port: name === primary.name ? primary.port : standby.port,
      user: NAME,
      password,
    }),
    primary: () => primary.name,
    standby: () => standby.name,
    async lag() {
      await on(primary, (client) => setting(client, 'synchronous_standby_names', ''));
      await on(standby, (client) => setting(client, 'primary_conninfo', ''));
    },
    killPrimary: () => killForGood(supervisor, primary.name),
    async promote() {
      await killForGood(supervisor, primary.name);
      await on(standby, (client) => client.query('select pg_promote(true, 60)'));
      [primary, standby] = [standby, primary];
    },
    attach,
    stop: () => forwarder.stop(),
  };
}

/** Commits locally: a standby that is gone must not block the change. */
async function setting(client: Client, name: string, value: string): Promise<void> {
  await client.query('set synchronous_commit = local');
  await client.query(`alter system set ${name} = '${value}'`);
  await client.query('select pg_reload_conf()');
}

/** The files that a copy of a running server leaves out: the standby gets them from the primary, or makes them. */
const NOT_COPIED = ['pg_wal', 'pg_replslot', 'postmaster.pid', 'postmaster.opts', 'standby.signal'];

/** A base backup by the low-level functions: the embedded Postgres comes without pg_basebackup. */
async function copyData(
  from: Node,
  to: Node,
  onPrimary: <T>(work: (client: Client) => Promise<T>) => Promise<T>,
  password: string,
): Promise<void> {
  rmSync(to.dataDir, { recursive: true, force: true });
  await onPrimary(async (client) => {
    await setting(client, 'synchronous_standby_names', '');
    await client.query("select pg_backup_start('standby', true)");
    mkdirSync(to.dataDir, { mode: 0o700 });
    const entries = readdirSync(from.dataDir).filter((entry) => !NOT_COPIED.includes(entry));
    await promisify(execFile)('cp', ['-a', ...entries.map((entry) => join(from.dataDir, entry)), to.dataDir]);
    for (const empty of ['pg_wal', 'pg_wal/archive_status', 'pg_wal/summaries', 'pg_replslot'])
      mkdirSync(join(to.dataDir, empty), { mode: 0o700 });
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    writeFileSync(join(to.dataDir, 'backup_label'), rows[0]?.labelfile ?? '');
  });
  const source = `host=${LOOPBACK} port=${from.port} user=${NAME} password=${password} application_name=${to.name}`;
  appendFileSync(join(to.dataDir, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  writeFileSync(join(to.dataDir, 'standby.signal'), '');
  const { user } = to.place;
  if (user !== undefined) await promisify(execFile)('chown', ['-R', `${user.uid}:${user.gid}`, to.dataDir]);
}

async function onDatabase<T>(
  { host, port, user, password }: PostgresAddress,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({
    host,
    port,
    user,
    password,
    database: 'postgres',
    connectionTimeoutMillis: 5000,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
