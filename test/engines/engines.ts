import { join } from 'node:path';
import { kafkaVariables, publishAddresses, type Addresses } from '../../infra/local/state/addresses.ts';
import { startLocalServers, type LocalServers } from '../../infra/local/local-servers.ts';
import type { ChildSpec } from '../../infra/local/processes/keep-running.ts';
import { createSupervisor, type Supervisor } from '../../infra/local/processes/supervisor.ts';
import type { Say } from '../../infra/local/tools/cache.ts';
import type { TestServerOptions, TestServers } from '../support/shared-servers/start-servers.ts';
import { kafkaBrokers, type Brokers } from '../support/kafka-brokers.ts';
import { startForwarder } from '../support/forwarder.ts';
import { pgBouncer } from './pgbouncer.ts';
import { startPostgresPair, type PostgresPair } from '../support/postgres-pair.ts';
import { watchReadyServers } from './ready-servers.ts';
import {
  createDatabases,
  createNamespace,
  NAMESPACE,
  temporalServers,
  type TemporalServers,
} from './temporal-server.ts';

export const BROKERS = ['kafka-1', 'kafka-2', 'kafka-3'] as const;
export const TEMPORALS = ['temporal-1', 'temporal-2'] as const;
const POSTGRESES = ['postgres-1', 'postgres-2'] as const;
export const PGBOUNCER = 'pgbouncer';

/** The servers as they run in production, and what the faults do to them. */
export interface Engines {
  supervisor: Supervisor;
  postgres: PostgresPair;
  brokers: Brokers;
  temporal: TemporalServers;
  /** Starts a server that was killed for good. */
  start(name: string): Promise<void>;
}

/** Three brokers, two Temporal servers, Postgres with a standby behind PgBouncer, and local clusters. */
export async function startEngines(
  { stateDir, clusters = [] }: TestServerOptions,
  report: Say,
): Promise<{ servers: TestServers; engines: Engines }> {
  const supervisor = createSupervisor({
    runDir: join(stateDir, 'run', 'engines'),
    logsDir: join(stateDir, 'logs'),
    report: () => undefined,
  });
  const starting = startLocalServers({ stateDir, clusters, report: () => undefined });
  starting.catch(() => undefined);
  try {
    const started = await startAll(stateDir, supervisor, report);
    const local = await starting;
    const addresses = { ...local.addresses, ...started.addresses };
    publishAddresses(stateDir, 'servers', addresses);
    const servers = { ...both(local, supervisor, started), addresses };
    return { servers: { servers, environment: started.environment }, engines: started.engines };
  } catch (error) {
    await supervisor.stop();
    await starting.then((local) => local.stop()).catch(() => undefined);
    throw error;
  }
}

interface Started {
  engines: Engines;
  names: readonly string[];
  addresses: Addresses;
  environment: TestServers['environment'];
  /** Of what runs in this process. */
  stop(): Promise<void>;
}

async function startAll(stateDir: string, supervisor: Supervisor, report: Say): Promise<Started> {
  const specs = new Map<string, ChildSpec>();
  const startEach = async (all: readonly ChildSpec[]): Promise<void> => {
    for (const spec of all) specs.set(spec.name, spec);
    await Promise.all(all.map((spec) => supervisor.start(spec)));
  };
  const brokers = await kafkaBrokers(stateDir, BROKERS, { report });
  const [postgres] = await Promise.all([
    startPostgresPair(stateDir, POSTGRESES, supervisor),
    startEach(brokers.specs),
  ]);
  await createDatabases(postgres.address, report);
  const temporal = await temporalServers(stateDir, TEMPORALS, postgres.address, report);
  const bouncer = await pgBouncer(PGBOUNCER, stateDir, postgres.address, postgres.place, report);
  await startEach([bouncer.spec, ...temporal.specs]);
  await createNamespace(temporal.addresses[0] ?? '');
  const ready = watchReadyServers(temporal.addresses);
  const forwarder = await startForwarder(() => ready.next());
  const { user, password, host, port } = postgres.address;
  const addresses = {
    databaseUrl: `postgres://${user}:${password}@${host}:${port}/jobledger`,
    kafkaBrokers: brokers.addresses.join(','),
    kafkaAccount: brokers.account,
    temporalAddress: `${forwarder.host}:${forwarder.port}`,
    temporalNamespace: NAMESPACE,
  };
  const start = async (name: string): Promise<void> => {
    const spec = specs.get(name);
    if (spec === undefined) throw new Error(`no engine is named ${name}`);
    await supervisor.start(spec);
  };
  return {
    engines: { supervisor, postgres, brokers, temporal, start },
    names: [...specs.keys(), ...POSTGRESES],
    addresses,
    environment: {
      DATABASE_URL: isThroughPgBouncer() ? bouncer.databaseUrl : addresses.databaseUrl,
      DATABASE_DIRECT_URL: addresses.databaseUrl,
      ...kafkaVariables(addresses),
      TEMPORAL_ADDRESS: addresses.temporalAddress,
      TEMPORAL_NAMESPACE: NAMESPACE,
    },
    async stop() {
      await ready.stop();
      await Promise.all([forwarder.stop(), postgres.stop()]);
    },
  };
}

/** The servers of the clusters, and the engines. */
function both(
  local: LocalServers,
  supervisor: Supervisor,
  started: Started,
): Omit<LocalServers, 'addresses'> {
  const { names, engines } = started;
  const engine = { ...supervisor, start: engines.start };
  const of = (name: string): typeof engine | LocalServers => (names.includes(name) ? engine : local);
  return {
    names: [...names, ...local.names],
    kill: (name) => of(name).kill(name),
    answers: (name) => of(name).answers(name),
    halt: (name) => of(name).halt(name),
    start: (name) => of(name).start(name),
    pid: (name) => of(name).pid(name),
    failed: Promise.race([supervisor.failed, local.failed]),
    async stop() {
      await Promise.all([supervisor.stop(), local.stop()]);
      await started.stop();
    },
  };
}

/** Our services reach Postgres through PgBouncer, unless the variable says that they reach the primary itself. */
function isThroughPgBouncer(): boolean {
  return process.env['JOBLEDGER_TEST_PGBOUNCER'] !== 'false';
}
