import { kafkaVariables, publishAddresses, type Addresses } from '../../../infra/local/state/addresses.ts';
import type { LocalClusterOptions } from '../../../infra/local/cluster/local-cluster.ts';
import { startLocalServers, type LocalServers } from '../../../infra/local/local-servers.ts';
import { ownDatabase, type DatabaseContent } from './own-database.ts';
import type { AuditPart } from './control-planes.ts';
import { borrowPlanes, canBeLent } from './lent-planes.ts';
import { ownNamespace } from './own-namespace.ts';
import type { OwnPart } from './own-part.ts';
import { ownTopics } from './own-topics.ts';
import { RUN_SERVERS_VARIABLE, SHARED, type SharedServer } from './serve-run.ts';

export interface TestServerOptions {
  stateDir: string;
  postgres?: boolean;
  kafka?: boolean;
  temporal?: boolean;
  clusters?: readonly LocalClusterOptions[];
  /**
   * The file gets a Postgres, Kafka and Temporal for itself, because it stops, kills or measures one, or reads its files.
   * Default: it shares those of the run, where it has a database, topics and a namespace for itself.
   */
  ownServers?: boolean;
  /**
   * The file gets control planes for itself, because it stops or kills one, wipes or restores it, or reads its files. Default: as
   * `ownServers`; without it, clusters that have no options of their own are control planes of the run, one after another file.
   */
  ownClusters?: boolean;
  /** Of the database in a shared Postgres. That of an own Postgres is empty. Default: migrated. */
  database?: DatabaseContent;
}

/** Where our services find the servers, and what is theirs in them. */
export type ServerEnvironment = Partial<
  Record<
    | 'DATABASE_URL'
    | 'DATABASE_DIRECT_URL'
    | 'KAFKA_BROKERS'
    | 'KAFKA_SASL_MECHANISM'
    | 'KAFKA_SASL_USERNAME'
    | 'KAFKA_SASL_PASSWORD'
    | 'KAFKA_SASL_WITHOUT_TLS'
    | 'JOBLEDGER_LEDGER_TOPIC'
    | 'TEMPORAL_ADDRESS'
    | 'TEMPORAL_NAMESPACE',
    string
  >
>;

export interface TestServers {
  /** `stop` also deletes what the file has in shared servers. The other functions know the file's own servers only. */
  servers: LocalServers;
  environment: ServerEnvironment;
  /** By cluster: the audit logs of shared control planes. The others are in the state directory. */
  auditLogs?: Readonly<Record<string, AuditPart>>;
}

/**
 * Servers for one test file. Postgres, Kafka, Temporal and clusters are those of the whole run unless the file wants its own. The
 * addresses of all are published in the state directory.
 */
export async function startServers(options: TestServerOptions): Promise<TestServers> {
  const { stateDir, clusters = [], ownServers = false, ownClusters = ownServers } = options;
  const wanted = SHARED.filter((name) => options[name] === true);
  const shared = isSharing(ownServers) ? wanted : [];
  const own = Object.fromEntries(wanted.map((name) => [name, !shared.includes(name)]));
  const areLent = clusters.length > 0 && isSharing(ownClusters) && canBeLent(clusters);
  const ownOptions = { clusters: areLent ? [] : clusters, kubectl: true, ...own };
  const starting = startLocalServers({ stateDir, ...ownOptions, report: () => undefined });
  const borrowing = areLent ? borrowPlanes(stateDir, clusters) : undefined;
  const [started, lent, ...parts] = await Promise.all([
    settle(starting),
    settle(borrowing),
    ...shared.map((name) => settle(createOwnPart(name, options))),
  ]);
  const divided = parts.flatMap(({ value }) => value ?? []);
  const stop = async (): Promise<void> => {
    await Promise.all([
      started.value?.stop(),
      lent.value?.giveBack(),
      ...divided.map((part) => part.release()),
    ]);
  };
  const failed = [started, lent, ...parts].find((each) => 'failure' in each);
  const local = started.value;
  if (failed !== undefined || local === undefined) {
    await stop().catch(() => undefined);
    throw failed?.failure;
  }
  const addresses = Object.assign(
    {},
    local.addresses,
    lent.value?.addresses,
    ...divided.map((part) => part.addresses),
  ) as Addresses;
  if (lent.value !== undefined || divided.length > 0) publishAddresses(stateDir, 'servers', addresses);
  const ledgerTopic = divided.find((part) => part.ledgerTopic !== undefined)?.ledgerTopic;
  return {
    servers: { ...withoutLent(local, areLent ? clusters : []), addresses, stop },
    environment: serverEnvironment(addresses, ledgerTopic),
    auditLogs: lent.value?.auditLogs ?? {},
  };
}

async function settle<T>(
  work: Promise<T> | undefined,
): Promise<{ value?: T | undefined; failure?: unknown }> {
  try {
    return { value: await work };
  } catch (failure) {
    return { failure };
  }
}

/** The servers of a shared control plane are nobody's to stop. */
function withoutLent(local: LocalServers, clusters: readonly LocalClusterOptions[]): LocalServers {
  const own = (name: string): string => {
    const cluster = clusters.find((each) => name.startsWith(`${each.name}-`));
    if (cluster === undefined) return name;
    throw new Error(`${name} is shared with other test files: start the servers with { ownClusters: true }`);
  };
  return {
    ...local,
    kill: async (name) => local.kill(own(name)),
    answers: async (name) => local.answers(own(name)),
    halt: async (name) => local.halt(own(name)),
    start: async (name) => local.start(own(name)),
    pid: (name) => local.pid(own(name)),
  };
}

/** Outside jest nobody serves shared servers. `JOBLEDGER_TEST_OWN_SERVERS=true` shows whether a failure comes from sharing. */
function isSharing(wantsOwn: boolean): boolean {
  if (wantsOwn || process.env['JOBLEDGER_TEST_OWN_SERVERS'] === 'true') return false;
  return process.env[RUN_SERVERS_VARIABLE] !== undefined;
}

async function createOwnPart(
  name: SharedServer,
  { database = 'migrated' }: TestServerOptions,
): Promise<OwnPart> {
  const addresses = await readAddresses(name);
  switch (name) {
    case 'postgres':
      return ownDatabase(addresses, database);
    case 'kafka':
      return ownTopics(addresses);
    case 'temporal':
      return ownNamespace(addresses);
  }
}

/** @throws when the server could not be started, or has died too often. */
async function readAddresses(name: SharedServer): Promise<Addresses> {
  const response = await fetch(`${process.env[RUN_SERVERS_VARIABLE]}/${name}`);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Addresses;
}

function serverEnvironment(addresses: Addresses, ledgerTopic: string | undefined): ServerEnvironment {
  const { databaseUrl, temporalAddress, temporalNamespace } = addresses;
  return {
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    ...kafkaVariables(addresses),
    ...(ledgerTopic !== undefined && { JOBLEDGER_LEDGER_TOPIC: ledgerTopic }),
    ...(temporalAddress !== undefined && { TEMPORAL_ADDRESS: temporalAddress }),
    ...(temporalNamespace !== undefined && { TEMPORAL_NAMESPACE: temporalNamespace }),
  };
}
