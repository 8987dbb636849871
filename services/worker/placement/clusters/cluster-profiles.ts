import { errorMessage } from '../../../adapters/errors.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import { pathSegment } from '../../../adapters/kubernetes/path-segment.ts';
import { watchCollection, type WatchedCollection } from './watch-collection.ts';

/**
 * A reference to the ClusterProfile that describes a cluster. `cluster` is the cluster that contains the
 * ClusterProfile.
 */
export interface ProfileRef {
  cluster: string;
  namespace: string;
  name: string;
}

/** The parts that are read from a ClusterProfile (multicluster.x-k8s.io/v1alpha1, KEP-4322). */
export interface ClusterProfile {
  metadata: { name: string; uid: string; labels?: Record<string, string> };
  status?: { properties?: { name: string; value: string }[] };
}

/** The labels that a profile gives to its cluster, or the reason why these labels are not known. */
export type ProfileLabels = { labels: Record<string, string> } | { unknown: string };

/** Reads the labels of clusters from their ClusterProfiles. */
export interface ClusterProfiles {
  /** Begins to watch the profiles of a namespace, so that the profiles are known before the first read. */
  watch(profile: ProfileRef): void;
  readLabels(profile: ProfileRef): Promise<ProfileLabels>;
}

/** `findClient` returns null when this worker has no access to a cluster. `signal`: ends the watches. */
export function createClusterProfiles({
  findClient,
  signal,
}: {
  findClient: (cluster: string) => KubernetesClient | null;
  signal: AbortSignal;
}): ClusterProfiles {
  const collections = new Map<string, WatchedCollection<Map<string, ClusterProfile>>>();
  const getCollection = ({
    cluster,
    namespace,
  }: ProfileRef): WatchedCollection<Map<string, ClusterProfile>> | null => {
    const key = `${cluster}/${namespace}`;
    const client = findClient(cluster);
    if (client === null) return null;
    const path = `/apis/multicluster.x-k8s.io/v1alpha1/namespaces/${pathSegment(namespace)}/clusterprofiles`;
    const known =
      collections.get(key) ??
      watchCollection(
        client,
        { path, part: (object) => object as ClusterProfile, objects: new Map<string, ClusterProfile>() },
        signal,
      );
    collections.set(key, known);
    return known;
  };
  return {
    watch: (profile) => void getCollection(profile),
    async readLabels(profile) {
      const { cluster, namespace, name } = profile;
      const what = `its ClusterProfile ${namespace}/${name} in the cluster ${cluster}`;
      const collection = getCollection(profile);
      if (collection === null) return { unknown: `${what} is out of reach: this worker has no access` };
      try {
        const contents = await collection.read();
        if (contents === null) return { unknown: `${what} may not be read` };
        const found = [...contents.objects.values()].find(({ metadata }) => metadata.name === name);
        return found === undefined ? { unknown: `${what} does not exist` } : { labels: mergeLabels(found) };
      } catch (error) {
        return { unknown: `${what} could not be read: ${errorMessage(error)}` };
      }
    },
  };
}

/**
 * The labels and properties of a profile as one set. A property takes precedence over a label, because the cluster
 * itself reports its properties.
 */
function mergeLabels({
  metadata: { labels = {} },
  status: { properties = [] } = {},
}: ClusterProfile): Record<string, string> {
  return { ...labels, ...Object.fromEntries(properties.map(({ name, value }) => [name, value])) };
}
