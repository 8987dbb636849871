import { write } from '../output.ts';
import type { Command } from 'commander';
import { auditLogVariables, kafkaVariables, type Addresses } from '../../infra/local/state/addresses.ts';
import type { LocalClusterOptions } from '../../infra/local/cluster/local-cluster.ts';
import { claimOption, gangSchedulingOption, type ClusterOptions } from '../cluster-options.ts';
import { stateDirOption, type StateDirOption } from '../options.ts';
import { whenAborted, endSoon, stopRequest } from '../stop-request.ts';

/** Adds the verb `servers`. */
export function registerServers(program: Command): void {
  const command = program
    .command('servers')
    .description(
      'run only the embedded Postgres, Kafka and Temporal, and print environment variables with their addresses',
    )
    .option('--cluster', 'also run a local Kubernetes cluster', false);
  gangSchedulingOption(claimOption(stateDirOption(command))).action(runServers);
}

type Options = StateDirOption &
  Pick<ClusterOptions, 'claim' | 'gangScheduling'> & { readonly cluster: boolean };

/** Runs the embedded servers until a stop signal, and prints their addresses. */
async function runServers(options: Options): Promise<void> {
  const stop = stopRequest();
  const { startLocalServers } = await import('../../infra/local/local-servers.ts');
  const started = startLocalServers({
    stateDir: options.stateDir,
    postgres: true,
    kafka: true,
    temporal: true,
    clusters: options.cluster ? [localCluster(options)] : [],
    kubectl: true,
    signal: stop,
  });
  const servers = await started.catch((error: unknown) => {
    if (!stop.aborted) throw error;
  });
  if (servers === undefined) return endSoon(stop);
  write(shellAssignments(variablesFor(servers.addresses)));
  const failure = await Promise.race([servers.failed, whenAborted(stop)]);
  await servers.stop();
  endSoon(stop);
  if (failure !== undefined) throw failure.error;
}

/** The options of the embedded cluster. */
function localCluster({ claim, gangScheduling }: Options): LocalClusterOptions {
  // With `--claim all`, Jobledger's services replace the built-in Job controller.
  return {
    name: 'local',
    followedAuditLog: true,
    builtInJobController: claim !== 'all',
    gangScheduling: gangScheduling === 'true',
  };
}

/** The environment variables with the addresses of the servers. */
function variablesFor(addresses: Addresses): Record<string, string | undefined> {
  return {
    DATABASE_URL: addresses.databaseUrl,
    ...kafkaVariables(addresses),
    TEMPORAL_ADDRESS: addresses.temporalAddress,
    TEMPORAL_NAMESPACE: addresses.temporalNamespace,
    JOBLEDGER_KUBECONFIG: addresses.kubeconfig,
    ...auditLogVariables(addresses),
    KUBECONFIG: addresses.adminKubeconfig,
    JOBLEDGER_KUBECTL: addresses.kubectl,
  };
}

/** Writes one `NAME=value` per line, quoted for a POSIX shell, and leaves out variables without a value. */
function shellAssignments(variables: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(variables)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}=${quoteForShell(value)}\n`)
    .join('');
}

/** Quotes a text for a POSIX shell, if necessary. */
function quoteForShell(value: string): string {
  return /^[\w@%+:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`;
}
