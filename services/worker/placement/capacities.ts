import { KubernetesApiError } from '../../adapters/errors.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { pathSegment } from '../../adapters/kubernetes/path-segment.ts';
import { createChoiceClients } from './choice-clients.ts';
import { quotaRoom, type QuotaObject } from './quota.ts';
import { readCapacity, type Amounts, type Capacity, type PodRequirements } from './room.ts';

/** How long a list of nodes and pods is used, in milliseconds. */
const FRESH_MS = 1000;
/** How long it is known that a namespace has a ServiceAccount, in milliseconds. */
const ACCOUNT_MS = 30_000;
/** For how long room is kept for a Job whose pods are not listed, in milliseconds. */
const KEPT_MS = 15_000;

/** Room that is kept for a Job: it was chosen for it, and its pods are not listed yet. */
interface Kept {
  /** `<namespace>/<name>` of the member. */
  job: string;
  pods: number;
  needs: PodRequirements;
}

/** What is known of the clusters' room, for all Jobs of this process. */
export interface Capacities {
  /** Null when nodes or pods may not be listed. @throws when the cluster does not answer. */
  read(client: KubernetesClient, signal: AbortSignal): Promise<Capacity | null>;
  /** What a namespace lacks for pods with this ServiceAccount, in words; null when it lacks nothing. */
  lacking(
    client: KubernetesClient,
    of: { namespace: string; account: string },
    signal: AbortSignal,
  ): Promise<string | null>;
  /** How many pods with these needs the quotas of the namespace leave room for. */
  quotaRoom(
    client: KubernetesClient,
    of: { namespace: string; needs: PodRequirements },
    signal: AbortSignal,
  ): Promise<number>;
  keep(cluster: string, kept: Kept): void;
  /** The needs of each pod for which room is kept, except for this Job. */
  keptForOthers(cluster: string, job: string): Amounts[];
}

export function createCapacities({ now }: { now: () => number }): Capacities {
  const choiceClient = createChoiceClients();
  const read = new Map<string, { at: number; capacity: Promise<Capacity | null> }>();
  const accounts = new Map<string, number>();
  const reserved = new Map<string, (Kept & { until: number })[]>();
  const stillKept = (cluster: string): (Kept & { until: number })[] =>
    (reserved.get(cluster) ?? []).filter(({ until }) => until > now());
  return {
    async read(client, signal) {
      const { cluster } = client;
      const known = read.get(cluster);
      if (known !== undefined && now() - known.at < FRESH_MS) return known.capacity;
      const capacity = readCapacity(choiceClient(client), signal).catch(nullIfForbidden);
      read.set(cluster, { at: now(), capacity });
      capacity.catch(() => read.delete(cluster));
      const listed = await capacity;
      reserved.set(
        cluster,
        stillKept(cluster).filter(({ job }) => listed?.jobs.has(job) !== true),
      );
      return listed;
    },
    async lacking(client, { namespace, account }, signal) {
      const key = `${client.cluster}/${namespace}/${account}`;
      if ((accounts.get(key) ?? -Infinity) > now()) return null;
      const path = `/api/v1/namespaces/${pathSegment(namespace)}/serviceaccounts/${pathSegment(account)}`;
      try {
        await choiceClient(client).request({ method: 'GET', path, signal });
      } catch (error) {
        if (error instanceof KubernetesApiError && error.status === 404)
          return `its namespace ${namespace} has no ServiceAccount ${account}, or does not exist`;
        if (!(error instanceof KubernetesApiError && error.status === 403)) throw error;
      }
      accounts.set(key, now() + ACCOUNT_MS);
      return null;
    },
    async quotaRoom(client, { namespace, needs }, signal) {
      const path = `/api/v1/namespaces/${pathSegment(namespace)}/resourcequotas`;
      const list = await choiceClient(client)
        .request<{ items: QuotaObject[] }>({ method: 'GET', path, signal })
        .catch(nullIfForbidden);
      return quotaRoom(list?.items ?? [], needs.requests);
    },
    keep(cluster, kept) {
      const others = stillKept(cluster).filter(({ job }) => job !== kept.job);
      reserved.set(cluster, [...others, { ...kept, until: now() + KEPT_MS }]);
    },
    keptForOthers: (cluster, job) =>
      stillKept(cluster)
        .filter((each) => each.job !== job)
        .flatMap(({ pods, needs }) => Array.from({ length: pods }, () => needs.requests)),
  };
}

function nullIfForbidden(error: unknown): null {
  if (error instanceof KubernetesApiError && error.status === 403) return null;
  throw error;
}
