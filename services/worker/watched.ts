import { KubernetesApiError, messageOf } from '../adapters/errors.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';
import type { Log } from '../adapters/process/log.ts';
import { leaseName } from '../contracts/lease-name.ts';
import { watchedVersion, type WatchedVersion } from '../contracts/watched.ts';

interface WatchedDependencies {
  /** One that may send requests about any namespace. */
  client: KubernetesClient;
  log: Log;
  leaseNamespace: string;
  installation: string;
}

/**
 * How far the watch of Jobs of a namespace is in the ledger, as the ingester's Lease says; null when there is no Lease, when it
 * does not say, or when reading it is refused.
 */
export function createWatched({ client, log, leaseNamespace, installation }: WatchedDependencies) {
  const name = leaseName(client.cluster, installation);
  const lease = { namespace: leaseNamespace, name };
  return async (namespace: string, signal: AbortSignal): Promise<WatchedVersion | null> => {
    try {
      return await watchedVersion(client, lease, { resource: 'jobs', namespace }, signal);
    } catch (error) {
      if (!(error instanceof KubernetesApiError)) throw error;
      const of = `${lease.namespace}/${lease.name}`;
      log.warn(
        { cluster: client.cluster, lease: of, error: messageOf(error) },
        'the Lease of the ingester cannot be read: it is not known how far the watch of Jobs is; starts of CronJobs that got no answer wait',
      );
      return null;
    }
  };
}
