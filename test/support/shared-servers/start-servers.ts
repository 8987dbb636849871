import { kafkaVariables, publishAddresses, type Addresses } from '../../../infra/local/addresses.ts';
import type { LocalClusterOptions } from '../../../infra/local/cluster/local-cluster.ts';
import { startLocalServers, type LocalServers } from '../../../infra/local/servers.ts';
import { ownDatabase, type DatabaseContent } from './own-database.ts';
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
}

/**
 * Servers for one test file. Postgres, Kafka and Temporal are those of the whole run unless the file wants its own; clusters
 * are always its own. The addresses of all are published in the state directory.
 */
export async function startServers(options: TestServerOptions): Promise<TestServers> {
  const { stateDir, clusters = [] } = options;
  const wanted = SHARED.filter((name) => options[name] === true);
  const shared = isSharing(options) ? wanted : [];
  const own = Object.fromEntries(wanted.map((name) => [name, !shared.includes(name)]));
  const starting = startLocalServers({ stateDir, clusters, kubectl: true, ...own, say: () => undefined });
  starting.catch(() => undefined);
  const parts = await Promise.all(shared.map((name) => partOf(name, options))).catch(
    async (error: unknown) => {
      await starting.then((servers) => servers.stop()).catch(() => undefined);
      throw error;
    },
  );
  const local = await starting;
  const addresses = Object.assign({}, local.addresses, ...parts.map((part) => part.addresses)) as Addresses;
  if (parts.length > 0) publishAddresses(stateDir, 'servers', addresses);
  const stop = async (): Promise<void> => {
    await Promise.all([local.stop(), ...parts.map((part) => part.release())]);
  };
  const ledgerTopic = parts.find((part) => part.ledgerTopic !== undefined)?.ledgerTopic;
  return { servers: { ...local, addresses, stop }, environment: environmentOf(addresses, ledgerTopic) };
}

/** Outside jest nobody serves shared servers. `JOBLEDGER_TEST_OWN_SERVERS=true` shows whether a failure comes from sharing. */
function isSharing({ ownServers = false }: TestServerOptions): boolean {
  if (ownServers || process.env['JOBLEDGER_TEST_OWN_SERVERS'] === 'true') return false;
  return process.env[RUN_SERVERS_VARIABLE] !== undefined;
}

async function partOf(name: SharedServer, { database = 'migrated' }: TestServerOptions): Promise<OwnPart> {
  const addresses = await addressesOf(name);
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
async function addressesOf(name: SharedServer): Promise<Addresses> {
  const response = await fetch(`${process.env[RUN_SERVERS_VARIABLE]}/${name}`);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Addresses;
}

function environmentOf(addresses: Addresses, ledgerTopic: string | undefined): ServerEnvironment {
  const { databaseUrl, temporalAddress, temporalNamespace } = addresses;
  return {
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    ...kafkaVariables(addresses),
    ...(ledgerTopic !== undefined && { JOBLEDGER_LEDGER_TOPIC: ledgerTopic }),
    ...(temporalAddress !== undefined && { TEMPORAL_ADDRESS: temporalAddress }),
    ...(temporalNamespace !== undefined && { TEMPORAL_NAMESPACE: temporalNamespace }),
  };
}
