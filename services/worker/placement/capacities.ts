import { KubernetesApiError } from '../../adapters/errors.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { pathSegment } from '../../adapters/kubernetes/path-segment.ts';
import { watchCollection, type WatchedCollection } from './watch-collection.ts';
import { isForbidden } from '../activities/requests.ts';
import { createChoiceClients } from './choice-clients.ts';
import { withDefaults, type LimitRangeObject } from './limit-ranges.ts';
import { quotaRoom, type QuotaObject } from './quota.ts';
import {
  capacityOf,
  nodeIn,
  podIn,
  type Capacity,
  type CountedPods,
  type NodeOfRoom,
  type PodOfRoom,
  type PodRequirements,
  type PodSpecOfRoom,
  type SeenNode,
} from './room.ts';
import { createSeenPods, type SeenPods } from './seen-pods.ts';

/** For how long room is kept for a Job whose pods are not listed, in milliseconds. */
const KEPT_MS = 15_000;

/** Room that is kept for a Job: it was chosen for it, and its pods are not listed yet. */
interface Kept {
  /** `<home>/<namespace>/<name>` of the placed Job. */
  job: string;
  /** `<namespace>/<name>` of its member. */
  member: string;
  pods: number;
  needs: PodRequirements;
}

/** What is known of the clusters' room, for all Jobs of this process. */
export interface Capacities {
  /** Begins to watch a cluster, so that its room is known when it is asked for. */
  watch(client: KubernetesClient): void;
  /** Null when nodes or pods may not be listed. @throws when the cluster does not answer. */
  read(client: KubernetesClient): Promise<Capacity | null>;
  /** What a namespace lacks for pods with this ServiceAccount, in words; null when it lacks nothing. */
  lacking(
    client: KubernetesClient,
    of: { namespace: string; account: string },
    signal: AbortSignal,
  ): Promise<string | null>;
  /** The pod with the defaults of the namespace; undefined when it has none for containers. */
  defaulted<Spec extends PodSpecOfRoom>(
    client: KubernetesClient,
    of: { namespace: string; spec: Spec },
    signal: AbortSignal,
  ): Promise<Spec | undefined>;
  /** How many pods with these needs the quotas of the namespace leave room for. */
  quotaRoom(
    client: KubernetesClient,
    of: { namespace: string; needs: PodRequirements },
    signal: AbortSignal,
  ): Promise<number>;
  keep(cluster: string, kept: Kept): void;
  /** The pods for which room is kept, except for this Job. */
  keptForOthers(cluster: string, job: string): CountedPods[];
}

/** Nodes and pods of a cluster, and the capacity of their last versions. */
interface Source {
  nodes: WatchedCollection<Map<string, SeenNode>>;
  pods: WatchedCollection<SeenPods>;
  last?: { versions: string; capacity: Capacity };
}

/** `signal`: ends the watches. */
export function createCapacities({ now, signal }: { now: () => number; signal: AbortSignal }): Capacities {
  const choiceClient = createChoiceClients();
  const sources = new Map<string, Source>();
  const reserved = new Map<string, (Kept & { until: number })[]>();
  const stillKept = (cluster: string): (Kept & { until: number })[] =>
    (reserved.get(cluster) ?? []).filter(({ until }) => until > now());
  const sourceOf = (client: KubernetesClient): Source => {
    const { cluster } = client;
    const known = sources.get(cluster) ?? {
      nodes: watchCollection(
        client,
        {
          path: '/api/v1/nodes',
          part: (node) => nodeIn(node as NodeOfRoom),
          objects: new Map<string, SeenNode>(),
        },
        signal,
      ),
      pods: watchCollection(
        client,
        { path: '/api/v1/pods', part: (pod) => podIn(pod as PodOfRoom), objects: createSeenPods() },
        signal,
      ),
    };
    sources.set(cluster, known);
    return known;
  };
  return {
    watch: (client) => void sourceOf(client),
    async read(client) {
      const { cluster } = client;
      const source = sourceOf(client);
      const [nodes, pods] = await Promise.all([source.nodes.read(), source.pods.read()]);
      if (nodes === null || pods === null) return null;
      const versions = `${nodes.version}/${pods.version}`;
      if (source.last?.versions !== versions) {
        const { used, waiting } = pods.objects;
        source.last = {
          versions,
          capacity: capacityOf(nodes.objects.values(), { used, waiting: waiting() }),
        };
      }
      reserved.set(
        cluster,
        stillKept(cluster).filter(({ member }) => !pods.objects.hasOf(member)),
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
      const path = `/api/v1/namespaces/${pathSegment(namespace)}/limitranges`;
      const list = await choiceClient(client)
        .request<{ items: LimitRangeObject[] }>({ method: 'GET', path, signal: aborted })
        .catch(nullIfForbidden);
      const defaulted = withDefaults(spec, list?.items ?? []);
      return defaulted === spec ? undefined : defaulted;
    },
    async quotaRoom(client, { namespace, needs }, aborted) {
      const path = `/api/v1/namespaces/${pathSegment(namespace)}/resourcequotas`;
      const list = await choiceClient(client)
        .request<{ items: QuotaObject[] }>({ method: 'GET', path, signal: aborted })
        .catch(nullIfForbidden);
      return quotaRoom(list?.items ?? [], needs);
    },
    keep(cluster, kept) {
      const others = stillKept(cluster).filter(({ job }) => job !== kept.job);
      reserved.set(cluster, [...others, { ...kept, until: now() + KEPT_MS }]);
    },
    keptForOthers: (cluster, job) =>
      stillKept(cluster)
        .filter((each) => each.job !== job)
        .map(({ pods, needs }) => ({ needs: needs.requests, pods })),
  };
}

function nullIfForbidden(error: unknown): null {
  if (isForbidden(error)) return null;
  throw error;
}
