import { globSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { Client as PostgresClient } from 'pg';
import { kafkaVariables } from '../../../../infra/local/state/addresses.ts';
import { ledgerIn } from '../../../support/ledger-in.ts';
import { SHARED_ACCOUNT } from '../../../../infra/local/cluster/accounts.ts';
import { LOOPBACK, reservePorts } from '../../../../infra/local/state/ports.ts';
import { startLocalServers, type LocalServers } from '../../../../infra/local/local-servers.ts';
import { createSupervisor, type Supervisor } from '../../../../infra/local/processes/supervisor.ts';
import { kafkaEnvironment, readConfig } from '../../../../services/adapters/config.ts';
import { connectKafka, type KafkaConnection } from '../../../../services/adapters/kafka/connection.ts';
import { readEnds } from '../../../../services/adapters/kafka/scan.ts';
import { silentLog } from '../../../../services/adapters/process/log.ts';
import { connectTemporal } from '../../../../services/adapters/temporal/connection.ts';
import { apiAccess } from '../../../../cli/verbs/up/api-access.ts';
import { SERVICES, serviceChildren } from '../../../../cli/verbs/up/service-children.ts';
import { samplesAt, findSamples } from '../../../support/metrics.ts';
import { verifyAll } from '../../../support/verify.ts';
import { CLUSTER, type ControlPlane } from '../control-plane/control-plane.ts';
import type { Figures } from '../report/figures.ts';
import type { Side } from './side.ts';
import type { TemporalDatabase } from '../options.ts';
import { countHistories } from '../meters/temporal-counts.ts';
import { startTemporalOnPostgres } from './temporal-on-postgres.ts';

/** All of Jobledger in the built-in controller's place: its services and servers, with an empty ledger. */
export async function startJobledger(
  plane: ControlPlane,
  {
    stateDir,
    api,
    temporalOn,
    report,
  }: { stateDir: string; api: boolean; temporalOn: TemporalDatabase; report: (line: string) => void },
): Promise<Side> {
  const at = (...parts: string[]): string => path.join(stateDir, ...parts);
  const isEmbedded = temporalOn === 'sqlite';
  const servers = await startLocalServers({
    stateDir,
    postgres: true,
    kafka: true,
    temporal: isEmbedded,
    report,
  });
  const temporal = isEmbedded ? null : await startTemporalOnPostgres(stateDir, report);
  const services = createSupervisor({ runDir: at('run', 'services'), logsDir: at('logs'), report });
  const names = SERVICES.filter((name) => api || name !== 'api');
  const address = temporal?.address ?? servers.addresses.temporalAddress ?? '';
  const namespace = temporal?.namespace ?? servers.addresses.temporalNamespace ?? '';
  const settings = await serviceSettings(plane, servers, at);
  const environment = { ...settings.environment, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
  const { metrics } = settings;
  const kafka = connectKafka(readConfig(kafkaEnvironment, ledgerIn(environment)), silentLog());
  const database = new PostgresClient(servers.addresses.databaseUrl ?? '');
  const temporalDatabase = temporal === null ? null : new PostgresClient(temporal.databaseUrl);
  const stop = async (): Promise<void> => {
    await services.stop();
    await database.end();
    await temporalDatabase?.end();
    await temporal?.stop();
    await servers.stop();
    rmSync(stateDir, { recursive: true, force: true });
  };
  try {
    const specs = serviceChildren(environment, { metrics }).filter(({ name }) =>
      names.some((each) => each === name),
    );
    await Promise.all(specs.map((spec) => services.start(spec)));
    await Promise.all([database.connect(), temporalDatabase?.connect()]);
  } catch (error) {
    await stop();
    throw error;
  }
  const sql = countedQueries(database);
  const temporalSql = temporalDatabase === null ? null : countedQueries(temporalDatabase);
  return {
    name: 'jobledger',
    user: SHARED_ACCOUNT.user,
    processes: () => [
      ...pids(names, services),
      ...pids(servers.names, servers),
      ...(temporal?.processes() ?? []),
    ],
    async counters() {
      const requests = await Promise.all(names.map((name) => kafkaRequests(name, metrics[name] ?? '')));
      return {
        ...(await recordCounts(kafka)),
        'ledger kB': sizeOfLog(at('kafka', 'data'), kafka.topics.ledger) / 1000,
        'Postgres transactions': await sql.transactionsOfOthers(),
        'Postgres WAL kB': await walKilobytes(sql),
        ...(await tableSizes(sql)),
        'Temporal database kB': await temporalKilobytes(at('temporal'), temporalSql),
        ...(temporalSql !== null && {
          'Temporal transactions': await temporalSql.transactionsOfOthers(),
          'Temporal WAL kB': await walKilobytes(temporalSql),
        }),
        ...Object.assign({}, ...requests),
      };
    },
    readCounts: (uids) =>
      countHistories(() => connectTemporal({ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace }), {
        cluster: CLUSTER,
        uids,
      }),
    async endedInTables() {
      const rows = await sql.query<{ uid: string }>(
        "select uid from jobledger.jobs where finished_at > now() - interval '1 minute'",
      );
      return new Set(rows.map(({ uid }) => uid));
    },
    async progress() {
      const ends = total(await readEnds(kafka, kafka.topics.ledger));
      const [row] = await sql.query<{ next: string | null }>(
        'select sum(next_offset) as next from jobledger.positions',
      );
      return BigInt(row?.next ?? 0) === ends ? String(ends) : undefined;
    },
    async verify() {
      const { exitCode, findings } = await verifyAll({ environment, stateDir });
      if (exitCode !== 0) throw new Error(`admin verify --all finds ${JSON.stringify(findings)}`);
    },
    failure: Promise.race([
      services.failed,
      servers.failed,
      ...(temporal === null ? [] : [temporal.failed]),
    ]).then(({ error }) => {
      throw error;
    }),
    stop,
  };
}

async function serviceSettings(
  plane: ControlPlane,
  { addresses }: LocalServers,
  at: (...parts: string[]) => string,
): Promise<{ environment: NodeJS.ProcessEnv; metrics: Record<string, string> }> {
  const access = await apiAccess({ apiWithoutTokens: false }, { at }, {});
  const environment = {
    ...process.env,
    DATABASE_URL: addresses.databaseUrl,
    ...kafkaVariables(addresses),
    JOBLEDGER_KUBECONFIG: plane.kubeconfig,
    JOBLEDGER_CONTEXTS: CLUSTER,
    JOBLEDGER_CLAIM: 'all',
    JOBLEDGER_STATE_DIR: at(),
    ...access.environment,
  };
  const portName = (service: string): string => `${service}-metrics`;
  const port = await reservePorts(at('ports.json'), SERVICES.map(portName));
  const metrics = Object.fromEntries(SERVICES.map((name) => [name, `${LOOPBACK}:${port(portName(name))}`]));
  return { environment, metrics };
}

function pids(names: readonly string[], { pid }: Pick<Supervisor, 'pid'>): { name: string; pid: number }[] {
  return names.map((name) => ({ name, pid: pid(name) ?? 0 }));
}

async function recordCounts(kafka: KafkaConnection): Promise<Figures> {
  const { ledger, live } = kafka.topics;
  const [inLedger, inLive] = await Promise.all([readEnds(kafka, ledger), readEnds(kafka, live)]);
  return { 'ledger records': Number(total(inLedger)), 'live topic records': Number(total(inLive)) };
}

/** The bytes of a topic's segments, which have no preallocated space. */
function sizeOfLog(dataDir: string, topic: string): number {
  return globSync(path.join(dataDir, `${topic}-*`, '*.log'))
    .map((file) => statSync(file).size)
    .reduce((sum, size) => sum + size, 0);
}

async function walKilobytes({ query }: Pick<ReturnType<typeof countedQueries>, 'query'>): Promise<number> {
  const [row] = await query<{ kilobytes: number }>(
    'select (wal_bytes / 1000)::float8 as kilobytes from pg_stat_wal',
  );
  return row?.kilobytes ?? 0;
}

/** Of Temporal's database files, or of the databases that it has in Postgres. */
async function temporalKilobytes(
  directory: string,
  sql: Pick<ReturnType<typeof countedQueries>, 'query'> | null,
): Promise<number> {
  if (sql === null) {
    const files = globSync(path.join(directory, 'temporal.db*'));
    return files.map((file) => statSync(file).size / 1000).reduce((sum, size) => sum + size, 0);
  }
  const [row] = await sql.query<{ kilobytes: number }>(
    'select (sum(pg_database_size(oid)) / 1000)::float8 as kilobytes from pg_database',
  );
  return row?.kilobytes ?? 0;
}

/** Of all tables with their indexes, and of the months of `events` among them. */
async function tableSizes({ query }: Pick<ReturnType<typeof countedQueries>, 'query'>): Promise<Figures> {
  const tables = await query<{ name: string; bytes: string }>(
    `select c.relname as name, pg_total_relation_size(c.oid) as bytes
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'jobledger' and c.relkind = 'r'`,
  );
  let [rows, kilobytes, ofEvents] = [0, 0, 0];
  for (const { name, bytes } of tables) {
    const [counted] = await query<{ rows: number }>(`select count(*)::int as rows from jobledger.${name}`);
    rows += counted?.rows ?? 0;
    kilobytes += Number(bytes) / 1000;
    if (name.startsWith('events')) ofEvents += Number(bytes) / 1000;
  }
  return { 'table rows': rows, 'tables kB': kilobytes, 'tables kB: events': ofEvents };
}

async function kafkaRequests(service: string, address: string): Promise<Figures> {
  const requests = findSamples(await samplesAt(address), 'jobledger_kafka_requests_total{api="');
  return Object.fromEntries(
    Object.entries(requests).map(([api, count]) => [
      `Kafka requests: ${service} ${api.replace('"}', '')}`,
      count,
    ]),
  );
}

/** Queries of the benchmark itself, which are not counted as transactions of the services. */
function countedQueries(client: PostgresClient): {
  query: <R>(text: string) => Promise<R[]>;
  transactionsOfOthers: () => Promise<number>;
} {
  let own = 0;
  const query = async <R>(text: string): Promise<R[]> => {
    own += 1;
    return (await client.query(text)).rows as R[];
  };
  return {
    query,
    async transactionsOfOthers() {
      const ownBefore = own;
      const [row] = await query<{ count: string }>(
        'select sum(xact_commit + xact_rollback) as count from pg_stat_database',
      );
      return Number(row?.count ?? 0) - ownBefore;
    },
  };
}

function total(offsets: ReadonlyMap<number, bigint>): bigint {
  return [...offsets.values()].reduce((all, each) => all + each, 0n);
}
