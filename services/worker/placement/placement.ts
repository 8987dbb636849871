import type { ObjectRef } from '../../../workflows/activities.ts';
import type { JobState } from '../../../workflows/job/state.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { InstallationRecords } from '../../installation/installation-records.ts';
import { availabilityIn } from '../../live-topic/cluster-availability.ts';
import { readIdentities } from '../../live-topic/cluster-identity.ts';
import type { AllowedCluster } from './clusters/allowed-clusters.ts';
import { createReadCandidates, type ReadCandidates } from './clusters/candidates.ts';
import type { PlacementCommandDependencies } from './commands/commands.ts';
import { createRequireKnownCluster } from './commands/known-cluster.ts';

// The rest of the worker imports from this folder only what this file exports.
export { placementEnvironment } from './clusters/allowed-clusters.ts';
export type { ReadCandidates };
export {
  createPlacementContext,
  PLACEMENT_COMMANDS,
  type PlacementCommandDependencies,
} from './commands/commands.ts';
export { guardPassedReason as placementObstacle } from './commands/guard.ts';

interface OpenPlacementDependencies {
  /** The clusters that JOBLEDGER_PLACEMENT allows. */
  allowed: readonly AllowedCluster[];
  /** The clients of the clusters of this worker. */
  clients: readonly KubernetesClient[];
  /** The same clients by cluster, limited to the namespaces of this worker. */
  allowedClients: ReadonlyMap<string, KubernetesClient>;
  kafka: KafkaConnection;
  records: () => InstallationRecords;
  getEpoch: PlacementCommandDependencies['getEpoch'];
  /** Reads the state of a Job of any cluster from the ledger. */
  readState: (job: ObjectRef, signal: AbortSignal) => Promise<JobState>;
  log: Log;
  signal: AbortSignal;
}

/** What the activities of placed Jobs need, in addition to what the activities of other kinds need. */
export function openPlacement({
  allowed,
  clients,
  allowedClients,
  kafka,
  records,
  getEpoch,
  readState,
  log,
  signal,
}: OpenPlacementDependencies) {
  return {
    memberClient: (cluster: string): KubernetesClient | null => allowedClients.get(cluster) ?? null,
    requireKnownCluster: createRequireKnownCluster({ readIdentities: () => readIdentities(kafka), log }),
    getEpoch,
    noticedChains: new Set<string>(),
    readCandidates: createReadCandidates({
      allowed,
      findClient: (cluster) => clients.find((each) => each.cluster === cluster) ?? null,
      message: () => availabilityIn(records()),
      readState,
      now: Date.now,
      log,
      signal,
    }),
  };
}

/** The dependencies for one attempt, in which `guard` wraps every client that the attempt uses. */
export function placementOfAttempt<D extends Pick<PlacementCommandDependencies, 'client' | 'memberClient'>>(
  dependencies: D,
  guard: (client: KubernetesClient) => KubernetesClient,
): D {
  return {
    ...dependencies,
    client: guard(dependencies.client),
    memberClient: (cluster: string) => {
      const client = dependencies.memberClient(cluster);
      return client === null ? null : guard(client);
    },
  };
}
