import { join } from 'node:path';
import { kafkaVariables, publishAddresses } from '../../infra/local/addresses.ts';
import { startLocalServers, type LocalServers } from '../../infra/local/servers.ts';
import type { ChildSpec } from '../../infra/processes/keep-running.ts';
import { createSupervisor, type Supervisor } from '../../infra/processes/supervisor.ts';
import type { Say } from '../../infra/tools/cache.ts';
import type { TestServerOptions, TestServers } from '../support/shared-servers/start-servers.ts';
import { kafkaBrokers, type Brokers } from './brokers.ts';
import { startForwarder } from './forwarder.ts';
import { pgBouncer } from './pgbouncer.ts';
import { startPostgresPair, type PostgresPair } from './postgres-pair.ts';
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
  say: Say,
): Promise<{ servers: TestServers; engines: Engines }> {
  const supervisor = createSupervisor({
    runDir: join(stateDir, 'run', 'engines'),
    logsDir: join(stateDir, 'logs'),
    say: () => undefined,
  });
  const specs = new Map<string, ChildSpec>();
  const startAll = async (all: readonly ChildSpec[]): Promise<void> => {
    for (const spec of all) specs.set(spec.name, spec);
    await Promise.all(all.map((spec) => supervisor.start(spec)));
  };
  const localStarting = startLocalServers({ stateDir, clusters, say: () => undefined });
  const brokers = await kafkaBrokers(stateDir, BROKERS, say);
  const brokersStarting = startAll(brokers.specs);
  const postgres = await startPostgresPair(stateDir, POSTGRESES, supervisor);
  await createDatabases(postgres.address, say);
  const temporal = await temporalServers(stateDir, TEMPORALS, postgres.address, say);
  const bouncer = await pgBouncer(PGBOUNCER, stateDir, postgres.address, postgres.place, say);
  await startAll([bouncer.spec, ...temporal.specs]);
  await createNamespace(temporal.addresses[0] ?? '');
  const ready = watchReadyServers(temporal.addresses);
  const forwarder = await startForwarder(() => ready.next());
  await brokersStarting;
  const local = await localStarting;
  const { user, password, host, port } = postgres.address;
  const addresses = {
    ...local.addresses,
    databaseUrl: `postgres://${user}:${password}@${host}:${port}/jobledger`,
    kafkaBrokers: brokers.addresses.join(','),
    kafkaAccount: brokers.account,
    temporalAddress: `${forwarder.host}:${forwarder.port}`,
    temporalNamespace: NAMESPACE,
  };
  publishAddresses(stateDir, 'servers', addresses);
  const names = [...specs.keys(), ...POSTGRESES];
  const isEngine = (name: string): boolean => names.includes(name);
  const start = async (name: string): Promise<void> => {
    const spec = specs.get(name);
    if (spec === undefined) throw new Error(`no engine is named ${name}`);
    await supervisor.start(spec);
  };
  const servers: LocalServers = {
    addresses,
    names: [...names, ...local.names],
    kill: (name) => (isEngine(name) ? supervisor.kill(name) : local.kill(name)),
    answers: (name) => (isEngine(name) ? supervisor.answers(name) : local.answers(name)),
    halt: (name) => (isEngine(name) ? supervisor.halt(name) : local.halt(name)),
    start: (name) => (isEngine(name) ? start(name) : local.start(name)),
    pid: (name) => (isEngine(name) ? supervisor.pid(name) : local.pid(name)),
    failed: Promise.race([supervisor.failed, local.failed]),
    async stop() {
      await ready.stop();
      await forwarder.stop();
      await Promise.all([supervisor.stop(), local.stop()]);
      await postgres.stop();
    },
  };
  const environment = {
    DATABASE_URL: isThroughPgBouncer() ? bouncer.databaseUrl : addresses.databaseUrl,
    DATABASE_DIRECT_URL: addresses.databaseUrl,
    ...kafkaVariables(addresses),
    TEMPORAL_ADDRESS: addresses.temporalAddress,
    TEMPORAL_NAMESPACE: NAMESPACE,
  };
  return {
    servers: { servers, environment },
    engines: { supervisor, postgres, brokers, temporal, start },
  };
}

/** Our services reach Postgres through PgBouncer, unless the variable says that they reach the primary itself. */
function isThroughPgBouncer(): boolean {
  return process.env['JOBLEDGER_TEST_PGBOUNCER'] !== 'false';
}
