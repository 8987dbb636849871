import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { compiledProgram } from '../../services/adapters/process/package-dir.ts';
import { resolveAddresses, type ResolvedAddresses } from '../addresses.ts';
import { clusterEnvironment, clusterOptions, type ClusterOptions } from '../cluster-options.ts';
import {
  apiWithoutTokensOption,
  stateDirOption,
  type ApiWithoutTokensOption,
  type StateDirOption,
} from '../options.ts';

/** The services that can run alone, with descriptions. */
export const SERVICES = {
  ingester: 'watch clusters and append to the ledger',
  dispatcher: 'signal the workflows of Jobs about new facts in the ledger',
  worker: 'run the workflows of Jobs and their activities',
  projector: 'project the ledger into the tables in Postgres',
  api: 'serve queries over HTTP, stream new events, accept Jobs and requests',
} as const;

export type ServiceVerb = keyof typeof SERVICES;

type ServiceOptions = StateDirOption & ClusterOptions & Partial<ApiWithoutTokensOption>;

/** Returns the function that registers the verb of a service, which runs alone in this process, for production. */
export function registerService(name: ServiceVerb): (program: Command) => void {
  return (program) => {
    const command = program.command(name).description(`run the ${name} alone: ${SERVICES[name]}`);
    if (name === 'api') apiWithoutTokensOption(command);
    clusterOptions(stateDirOption(command)).action((options: ServiceOptions) => runAlone(name, options));
  };
}

/** Runs a service in this process, with the addresses and options in the environment. */
async function runAlone(service: string, options: ServiceOptions): Promise<void> {
  Object.assign(process.env, clusterEnvironment(options));
  if (options.apiWithoutTokens === true) process.env['JOBLEDGER_API_WITHOUT_TOKENS'] = 'true';
  for (const [name, value] of Object.entries(addressEnvironment(resolveAddresses(options))))
    process.env[name] ??= value;
  await import(pathToFileURL(compiledProgram(`services/${service}/main.ts`)).href);
}

/** The known addresses as environment variables. Missing addresses are left out, because the service itself checks the addresses that it needs. */
function addressEnvironment(addresses: ResolvedAddresses): Record<string, string> {
  const read: Record<string, () => string> = {
    DATABASE_URL: () => addresses.postgres.DATABASE_URL,
    TEMPORAL_ADDRESS: () => addresses.temporalAddress,
    TEMPORAL_NAMESPACE: () => addresses.temporalNamespace,
    JOBLEDGER_KUBECONFIG: () => addresses.kubeconfig,
    JOBLEDGER_CONTEXTS: () => addresses.contexts.join(','),
  };
  const found = Object.entries(read).map(([name, address]) => [name, undefinedOnError(address)] as const);
  return {
    ...undefinedOnError(() => addresses.kafka),
    ...undefinedOnError(() => addresses.auditLogs),
    ...Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== undefined)),
  };
}

/** The address, or undefined if reading it throws an error. */
function undefinedOnError<T>(address: () => T): T | undefined {
  try {
    return address();
  } catch {
    return undefined;
  }
}
