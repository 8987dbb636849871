import type { Addresses } from '../../../infra/local/state/addresses.ts';
import type { LocalClusterOptions } from '../../../infra/local/cluster/local-cluster.ts';
import type { LocalServers } from '../../../infra/local/local-servers.ts';
import { leaseEnvironment, readConfig } from '../../../services/adapters/config.ts';
import { InputError } from '../../../services/adapters/errors.ts';
import type { ClusterConnection } from '../../../services/adapters/kubernetes/connection.ts';
import type { ClusterOptions } from '../../cluster-options.ts';
import type { ApiWithoutTokensOption, StateDirOption } from '../../options.ts';
import type { Preflight } from './preflight.ts';
import { waitUntilReachable } from './reachable.ts';

export type UpOptions = StateDirOption &
  ClusterOptions &
  ApiWithoutTokensOption & {
    /** The number of embedded clusters. */
    readonly clusters: number;
  };

/** The configured addresses; an absent part is embedded. */
export interface GivenParts {
  readonly databaseUrl?: string;
  readonly kafkaBrokers?: string;
  readonly temporalAddress?: string;
  readonly temporalNamespace?: string;
  readonly kubeconfig?: string;
  readonly contexts: readonly string[];
  readonly clusters: readonly ClusterConnection[];
}

/** Reads the configured addresses before anything is started. @throws InputError for invalid settings. */
export async function givenParts(options: UpOptions, environment: NodeJS.ProcessEnv): Promise<GivenParts> {
  const clusters = await givenClusters(options);
  return {
    ...optionalVariable('databaseUrl', environment['DATABASE_URL']),
    ...optionalVariable('kafkaBrokers', environment['KAFKA_BROKERS']),
    ...optionalVariable('temporalAddress', environment['TEMPORAL_ADDRESS']),
    ...optionalVariable('temporalNamespace', environment['TEMPORAL_NAMESPACE']),
    ...optionalVariable('kubeconfig', options.kubeconfig),
    contexts: clusters.map(({ context }) => context),
    clusters,
  };
}

/** An object with the variable; empty if the variable is unset or empty. */
function optionalVariable<const Name extends string>(
  name: Name,
  value: string | undefined,
): Partial<Record<Name, string>> {
  return value === undefined || value === '' ? {} : ({ [name]: value } as Record<Name, string>);
}

/** The connections to the clusters of `--kubeconfig`. @throws InputError if the options contradict each other. */
async function givenClusters(options: UpOptions): Promise<readonly ClusterConnection[]> {
  const { kubeconfig, kubeContext: contexts, clusterName, clusters } = options;
  if (kubeconfig !== undefined) {
    if (clusters > 1)
      throw new InputError(
        `--clusters ${clusters} starts embedded clusters, but --kubeconfig ${kubeconfig} names the clusters to control; leave out one of these options`,
      );
    const { connectClusters } = await import('../../../services/adapters/kubernetes/connection.ts');
    return connectClusters({ kubeconfig, contexts, ...(clusterName === undefined ? {} : { clusterName }) });
  }
  if (contexts.length > 0) throw new InputError(`--kube-context ${contexts.join(', ')} needs --kubeconfig`);
  if (clusterName !== undefined && clusters > 1)
    throw new InputError(
      `--cluster-name ${clusterName} names one cluster, but --clusters ${clusters} starts several clusters; leave out one of these options`,
    );
  return [];
}

interface EmbeddedContext {
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Checks Postgres, and waits for configured servers that do not answer yet. */
export async function waitForGiven(parts: GivenParts, context: EmbeddedContext): Promise<void> {
  if (parts.databaseUrl !== undefined) {
    const { checkPostgres } = await import('../../../infra/local/servers/check-postgres.ts');
    await checkPostgres(parts.databaseUrl);
  }
  const { kafkaBrokers, temporalAddress } = parts;
  await Promise.all([
    kafkaBrokers === undefined
      ? undefined
      : waitUntilReachable({ name: 'Kafka', variable: 'KAFKA_BROKERS', addresses: kafkaBrokers }, context),
    temporalAddress === undefined
      ? undefined
      : waitUntilReachable(
          { name: 'Temporal', variable: 'TEMPORAL_ADDRESS', addresses: temporalAddress },
          context,
        ),
  ]);
}

/** A warning if the embedded Temporal, which has no password, controls external clusters; otherwise null. */
export function openServersWarning({ kubeconfig, temporalAddress }: GivenParts): string | null {
  if (kubeconfig === undefined || temporalAddress !== undefined) return null;
  return `warning: the embedded Temporal has no password, so every user of this machine can change the clusters of ${kubeconfig}; on a shared machine set TEMPORAL_ADDRESS (SECURITY.md)`;
}

/** Starts embedded servers for the parts that are not configured; undefined if all are configured. */
export async function embedMissing(
  parts: GivenParts,
  options: UpOptions,
  context: EmbeddedContext,
): Promise<LocalServers | undefined> {
  const { databaseUrl, kafkaBrokers, temporalAddress, kubeconfig } = parts;
  if ([databaseUrl, kafkaBrokers, temporalAddress, kubeconfig].every((part) => part !== undefined))
    return undefined;
  const { startLocalServers } = await import('../../../infra/local/local-servers.ts');
  return startLocalServers({
    stateDir: options.stateDir,
    postgres: databaseUrl === undefined,
    kafka: kafkaBrokers === undefined,
    temporal: temporalAddress === undefined,
    clusters: kubeconfig === undefined ? localNames(options).map((name) => localCluster(name, options)) : [],
    purpose: 'jobledger up',
    ...context,
  });
}

/** local, local-2, … */
function localNames({ clusters }: UpOptions): string[] {
  return Array.from({ length: clusters }, (_none, at) => (at === 0 ? 'local' : `local-${at + 1}`));
}

/** The variables for placed Jobs: with several embedded clusters, each cluster may run Jobs of every other cluster. */
export function localPlacement(options: UpOptions): Record<string, string> {
  if (options.clusters === 1 || options.kubeconfig !== undefined) return {};
  const names = localNames(options);
  const allow = names.map((home) => ({ home, namespaces: ['*'] }));
  return { JOBLEDGER_PLACEMENT: JSON.stringify({ clusters: names.map((name) => ({ name, allow })) }) };
}

/**
 * The options of an embedded cluster, which runs without the built-in controllers that Jobledger replaces. The built-in Job controller ignores Jobs
 * whose managedBy names us.
 */
function localCluster(name: string, { claim, controllers, gangScheduling }: UpOptions): LocalClusterOptions {
  return {
    name,
    followedAuditLog: true,
    gangScheduling: gangScheduling === 'true',
    builtInJobController: claim !== 'all' || !controllers.includes('job'),
    builtInTtlController: !controllers.includes('ttl'),
    builtInCronJobController: !controllers.includes('cronjob'),
  };
}

/** The addresses of all servers, configured or embedded. */
export function allAddresses(parts: GivenParts, embedded: Addresses | undefined): Addresses {
  const { contexts, clusters: _clusters, ...addresses } = parts;
  return {
    temporalNamespace: 'default',
    ...embedded,
    ...addresses,
    ...(contexts.length === 0 ? {} : { contexts }),
  };
}

/** The connections to the embedded clusters. */
export async function embeddedClusters(
  { kubeconfig, contexts = [] }: Addresses,
  { clusterName }: UpOptions,
): Promise<readonly ClusterConnection[]> {
  if (kubeconfig === undefined) return [];
  const { connectClusters } = await import('../../../services/adapters/kubernetes/connection.ts');
  return connectClusters({ kubeconfig, contexts, clusterName });
}

/** The preflight checks of the configured and embedded clusters. */
export async function preflightsFor(
  clusters: readonly ClusterConnection[],
  { claim, controllers, gangScheduling, namespaces }: UpOptions,
  signal: AbortSignal,
): Promise<Preflight[]> {
  if (clusters.length === 0) return [];
  const { createKubernetesClient } = await import('../../../services/adapters/kubernetes/client.ts');
  const namespace = readConfig(leaseEnvironment).JOBLEDGER_LEASE_NAMESPACE;
  return clusters.map((connection) => {
    const client = createKubernetesClient(connection);
    const { host: server } = connection.server;
    const gangs = gangScheduling === 'true';
    const placement = (process.env['JOBLEDGER_PLACEMENT'] ?? '') !== '';
    return { client, server, namespace, namespaces, claim, controllers, gangs, placement, signal };
  });
}
