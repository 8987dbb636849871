import { KubernetesApiError } from '../../../adapters/errors.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import { pathSegment } from '../../../adapters/kubernetes/path-segment.ts';
import type { Log } from '../../../adapters/process/log.ts';
import { watchCollection, type WatchedCollection } from './watch-collection.ts';
import { isForbidden } from '../../command/requests.ts';
import { createChoiceClients } from './choice-clients.ts';
import { addDefaults, type LimitRangeObject } from './limit-ranges.ts';
import { quotaRoom, type QuotaObject } from './quota.ts';
import {
  computeCapacity,
  MOST_KINDS,
  toSeenNode,
  toSeenPod,
  type Capacity,
  type CountedPods,
  type NodeOfRoom,
  type PodOfRoom,
  type PodRequirements,
  type PodSpecOfRoom,
} from './room.ts';
import { createSeenNodes, type SeenNodes } from './seen-nodes.ts';
import { createSeenPods, takeInTurns, needsKey, type SeenPods } from './seen-pods.ts';

/** The time for which room is kept for a Job whose pods are not listed, in milliseconds. */
const KEPT_MS = 15_000;

/**
 * The longest list of quotas or LimitRanges of a namespace that is read, in bytes. The length is limited because the
 * tenants of the namespace may create any number of objects.
 */
const LIST_BYTES = 1024 * 1024;

/** The time for which no room is kept for a namespace after expected pods did not appear, in milliseconds. */
const UNKEPT_MS = 300_000;

/** The room of a cluster that was chosen for a Job whose pods are not listed yet. */
interface Kept {
  /** `<home>/<namespace>/<name>` of the placed Job. */
  job: string;
  namespace: string;
  /** `<namespace>/<name>` of the member. */
  member: string;
  pods: number;
  needs: PodRequirements;
}

/** `kind` is equal for pods with the same needs. */
interface Reserved extends Kept {
  until: number;
  kind: string;
}

/** The known room of the clusters, for all Jobs of this process. */
export interface Capacities {
  /** Begins to watch a cluster, so that its room is known before the first read. */
  watch(client: KubernetesClient): void;
  /**
   * Reads the capacity of a cluster; null when nodes or pods may not be listed. @throws when the cluster does not
   * answer.
   */
  read(client: KubernetesClient): Promise<Capacity | null>;
  /**
   * The reason why a namespace cannot have pods with this ServiceAccount, such as a missing namespace; null without
   * such a reason.
   */
  lacking(
    client: KubernetesClient,
    of: { namespace: string; account: string },
    signal: AbortSignal,
  ): Promise<string | null>;
  /** The pod with the defaults of the namespace; undefined when the namespace has no defaults for containers. */
  defaulted<Spec extends PodSpecOfRoom>(
    client: KubernetesClient,
    of: { namespace: string; spec: Spec },
    signal: AbortSignal,
  ): Promise<Spec | undefined>;
  /** The number of pods with these requests for which the quotas of the namespace leave room. */
  quotaRoom(
    client: KubernetesClient,
    of: { namespace: string; needs: PodRequirements },
    signal: AbortSignal,
  ): Promise<number>;
  keep(cluster: string, kept: Kept): void;
  /** The pods for which room is kept, except for this Job. */
  keptForOthers(cluster: string, job: string): CountedPods[];
}

/** The nodes and pods of a cluster, and the capacity that was computed from their last versions. */
interface Source {
  nodes: WatchedCollection<SeenNodes>;
  pods: WatchedCollection<SeenPods>;
  last?: { versions: string; capacity: Capacity };
}

/** Creates the known room of the clusters. `signal` ends the watches. */
export function createCapacities({
  now,
  log,
  signal,
}: {
  now: () => number;
  log: Log;
  signal: AbortSignal;
}): Capacities {
  const choiceClient = createChoiceClients();
  const lacked = new Set<string>();
  /** Lists the objects of a namespace; empty without the right to list them, which is logged once for each cluster. */
  const listCollection = async <Item>(
    client: KubernetesClient,
    { namespace, resource, signal: aborted }: { namespace: string; resource: string; signal: AbortSignal },
  ): Promise<Item[]> => {
    const path = `/api/v1/namespaces/${pathSegment(namespace)}/${resource}`;
    try {
      const list = await choiceClient(client).request<{ items: Item[] }>({
        method: 'GET',
        path,
        signal: aborted,
        maxBytes: LIST_BYTES,
      });
      return list.items;
    } catch (error) {
      if (!isForbidden(error)) throw error;
      const { cluster } = client;
      if (!lacked.has(`${cluster}/${resource}`))
        log.warn(
          { cluster, resource },
          'this worker may not list these objects, so the room for placed Jobs is computed without them',
        );
      lacked.add(`${cluster}/${resource}`);
      return [];
    }
  };
  const sources = new Map<string, Source>();
  const reserved = new Map<string, Reserved[]>();
  /** The time at which expected pods did not appear, by cluster and namespace. */
  const missed = new Map<string, number>();
  /** Removes the expired reservations of a cluster, and returns the remaining reservations. */
  const dropExpired = (cluster: string): Reserved[] => {
    const all = reserved.get(cluster) ?? [];
    for (const { namespace, until } of all) if (until <= now()) missed.set(`${cluster}/${namespace}`, until);
    const kept = all.filter(({ until }) => until > now());
    reserved.set(cluster, kept);
    return kept;
  };
  const getSource = (client: KubernetesClient): Source => {
    const { cluster } = client;
    const known = sources.get(cluster) ?? {
      nodes: watchCollection(
        client,
        {
          path: '/api/v1/nodes',
          part: (node) => toSeenNode(node as NodeOfRoom),
          objects: createSeenNodes(),
        },
        signal,
      ),
      pods: watchCollection(
        client,
        { path: '/api/v1/pods', part: (pod) => toSeenPod(pod as PodOfRoom), objects: createSeenPods() },
        signal,
      ),
    };
    sources.set(cluster, known);
    return known;
  };
  return {
    watch: (client) => void getSource(client),
    async read(client) {
      const { cluster } = client;
      const source = getSource(client);
      const [nodes, pods] = await Promise.all([source.nodes.read(), source.pods.read()]);
      if (nodes === null || pods === null) return null;
      const versions = `${nodes.version}/${pods.version}`;
      if (source.last?.versions !== versions) {
        source.last = { versions, capacity: computeCapacity(nodes.objects, pods.objects) };
      }
      const before = reserved.get(cluster) ?? [];
      reserved.set(
        cluster,
        before.filter(({ member }) => !pods.objects.hasSeenJob(member)),
      );
      return source.last.capacity;
    },
    async lacking(client, { namespace, account }, aborted) {
      const path = `/api/v1/namespaces/${pathSegment(namespace)}/serviceaccounts/${pathSegment(account)}`;
      try {
        await choiceClient(client).request({ method: 'GET', path, signal: aborted });
      } catch (error) {
        if (error instanceof KubernetesApiError && error.status === 404)
          return `its namespace ${namespace} has no ServiceAccount ${account}, or does not exist`;
        if (!isForbidden(error)) throw error;
      }
      return null;
    },
    async defaulted(client, { namespace, spec }, aborted) {
      const of = { namespace, resource: 'limitranges', signal: aborted };
      const ranges = await listCollection<LimitRangeObject>(client, of);
      const defaulted = addDefaults(spec, ranges);
      return defaulted === spec ? undefined : defaulted;
    },
    async quotaRoom(client, { namespace, needs }, aborted) {
      const of = { namespace, resource: 'resourcequotas', signal: aborted };
      return quotaRoom(await listCollection<QuotaObject>(client, of), needs);
    },
    keep(cluster, kept) {
      const before = dropExpired(cluster);
      const key = `${cluster}/${kept.namespace}`;
      const missedAt = missed.get(key) ?? -Infinity;
      if (now() - missedAt < UNKEPT_MS) return;
      missed.delete(key);
      // A Job that is evaluated again and again keeps its room only as long as any other Job.
      const kind = needsKey(kept.needs.requests, kept.needs.choice?.text ?? '');
      const { until = now() + KEPT_MS } = before.find(({ job }) => job === kept.job) ?? {};
      reserved.set(cluster, [...before.filter(({ job }) => job !== kept.job), { ...kept, until, kind }]);
    },
    keptForOthers(cluster, job) {
      const kinds = new Map<string, Map<string, CountedPods>>();
      for (const { job: of, namespace, kind, pods, needs } of dropExpired(cluster)) {
        if (of === job) continue;
        const known = kinds.get(namespace) ?? new Map<string, CountedPods>();
        const sum = pods + (known.get(kind)?.pods ?? 0);
        known.set(kind, { namespace, pods: sum, needs: needs.requests, choice: needs.choice });
        kinds.set(namespace, known);
      }
      return takeInTurns(kinds, MOST_KINDS);
    },
  };
}
