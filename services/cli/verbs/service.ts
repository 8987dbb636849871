import type { Command } from 'commander';
import { resolveAddresses, type ResolvedAddresses } from '../addresses.ts';
import {
  apiOption,
  clusterEnvironment,
  clusterOptions,
  stateDirOption,
  type ApiOption,
  type ClusterOptions,
  type StateDirOption,
} from '../options.ts';

/** The services that can run alone, with what each does. */
const SERVICES = {
  ingester: 'record what happens in the clusters in the ledger',
  dispatcher: 'signal the workflows of Jobs when the ledger has news of them',
  worker: 'run the workflows of Jobs, and what they ask of clusters and ledger',
  projector: 'keep the tables in Postgres up to date with the ledger',
  api: 'answer questions over HTTP, stream new events, take Jobs and wishes',
} as const;

type ServiceOptions = StateDirOption & ClusterOptions & Partial<ApiOption>;

/** Registers a verb for each service: it runs alone in this process, for production. */
export function registerServices(program: Command): void {
  for (const [name, does] of Object.entries(SERVICES)) {
    const command = program.command(name).description(`one service alone: ${does}`);
    if (name === 'api') apiOption(command);
    clusterOptions(stateDirOption(command)).action((options: ServiceOptions) => runAlone(name, options));
  }
}

async function runAlone(service: string, options: ServiceOptions): Promise<void> {
  Object.assign(process.env, clusterEnvironment(options));
  if (options.apiWithoutTokens === true) process.env['JOBLEDGER_API_WITHOUT_TOKENS'] = 'true';
  for (const [name, value] of Object.entries(addressEnvironment(resolveAddresses(options))))
    process.env[name] ??= value;
  await import(new URL(`../../${service}/main.ts`, import.meta.url).href);
}

/** What a service does not find here it misses itself, and it knows best what it needs. */
function addressEnvironment(addresses: ResolvedAddresses): Record<string, string> {
  const read: Record<string, () => string> = {
    DATABASE_URL: () => addresses.databaseUrl,
    KAFKA_BROKERS: () => addresses.kafkaBrokers,
    TEMPORAL_ADDRESS: () => addresses.temporalAddress,
    TEMPORAL_NAMESPACE: () => addresses.temporalNamespace,
    JOBLEDGER_KUBECONFIG: () => addresses.kubeconfig,
    JOBLEDGER_CONTEXTS: () => addresses.contexts.join(','),
  };
  const found = Object.entries(read).map(([name, address]) => [name, orNothing(address)] as const);
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function orNothing(address: () => string): string | undefined {
  try {
    return address();
  } catch {
    return undefined;
  }
}
