import { KubernetesApiError, errorMessage } from '../../../adapters/errors.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import type { Log } from '../../../adapters/process/log.ts';
import { watchedVersion, type WatchedVersion } from '../../../shards/watched.ts';

interface WatchedDependencies {
  /** A client that may send requests for any namespace. */
  client: KubernetesClient;
  log: Log;
  leaseNamespace: string;
  installation: string;
}

/**
 * Returns a function that reads the ledger's position in the watch of a namespace's Jobs from the Lease of the ingester.
 * The result is null when the Lease is missing, is unreadable, or has no position.
 */
export function createReadWatched({ client, log, leaseNamespace, installation }: WatchedDependencies) {
  const leases = { namespace: leaseNamespace, installation };
  return async (namespace: string, signal: AbortSignal): Promise<WatchedVersion | null> => {
    try {
      return await watchedVersion(client, leases, { resource: 'jobs', namespace }, signal);
    } catch (error) {
      if (!(error instanceof KubernetesApiError)) throw error;
      log.warn(
        { cluster: client.cluster, error: errorMessage(error) },
        'the Lease of the ingester cannot be read, so the position of the watch of Jobs is unknown; the start of a CronJob waits if the request that creates its Job got no answer',
      );
      return null;
    }
  };
}
