import { GANG_API, POD_GROUP_API } from '../../../workflows/kubernetes/names.ts';
import { KubernetesApiError } from '../errors.ts';
import type { OptionalResource } from '../../../workflows/ledger/cluster-events.ts';
import type { KubernetesClient } from './client.ts';
import { OPTIONAL_RESOURCES } from './optional-resources.ts';

/** The version and the served APIs of a cluster. */
export interface ClusterFacts {
  /** The version of the API server that answered, such as `v1.37.2`. */
  version: string;
  /** The served versions of the API groups on which Jobledger's features depend, sorted; null when the cluster does not report them. */
  apis: string[] | null;
}

/** API groups whose served versions do not follow from the version of the cluster alone. */
const GROUPS = ['admissionregistration.k8s.io', 'batch', 'scheduling.k8s.io'];

/** @throws UnavailableError when the API server does not answer, KubernetesApiError when it refuses to show its version. */
export async function clusterFacts(client: KubernetesClient, signal: AbortSignal): Promise<ClusterFacts> {
  const { gitVersion } = await client.request<{ gitVersion: string }>({
    method: 'GET',
    path: '/version',
    signal,
  });
  return { version: gitVersion, apis: await servedApis(client, signal) };
}

interface ServedGroups {
  groups?: { versions: { groupVersion: string }[] }[];
}

/** The versions of all API groups that the API server lists, such as `batch/v1`. @throws its error when it does not list them. */
export async function servedVersions(
  client: KubernetesClient,
  more: { signal?: AbortSignal } = {},
): Promise<string[]> {
  const { groups = [] } = await client.request<ServedGroups>({ method: 'GET', path: '/apis', ...more });
  return groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion));
}

/** The served versions of the API groups on which features depend; null when the cluster does not list them. */
async function servedApis(client: KubernetesClient, signal: AbortSignal): Promise<string[] | null> {
  try {
    const versions = await servedVersions(client, { signal });
    return versions.filter((each) => GROUPS.some((group) => each.startsWith(`${group}/`))).toSorted();
  } catch (error) {
    // The list fails without the ClusterRole system:discovery, or behind a proxy that lets only other paths pass.
    if (!(error instanceof KubernetesApiError)) throw error;
    return null;
  }
}

/** A feature that a cluster lacks, with the consequence. */
export interface ClusterLimit {
  feature: 'managedBy' | 'policy' | 'gangs' | OptionalResource;
  message: string;
}

/** The minor versions of Kubernetes since which a feature is enabled by default. */
const MANAGED_BY = 32;
const ADMISSION_POLICY = 36;

/**
 * The features that Jobledger offers and a cluster lacks. Null means that the value is not known; `not_recorded` are the
 * resources that the ingester may not read.
 */
export function clusterLimits({
  version,
  apis,
  not_recorded: missing = [],
}: {
  version: string | null;
  apis: string[] | null;
  not_recorded?: readonly string[];
}): ClusterLimit[] {
  const minor = minorVersion(version ?? '');
  const isBefore = (first: number): boolean => minor !== null && minor < first;
  const limits: ClusterLimit[] = [];
  if (isBefore(MANAGED_BY))
    limits.push({
      feature: 'managedBy',
      message: `before Kubernetes 1.${MANAGED_BY}, spec.managedBy needs the feature gate JobManagedBy; without it only --claim all works`,
    });
  if (isBefore(ADMISSION_POLICY))
    limits.push({
      feature: 'policy',
      message: `before Kubernetes 1.${ADMISSION_POLICY}, the chart's policy for labelled namespaces needs the feature gate MutatingAdmissionPolicy (docs/operate/install.md)`,
    });
  if (apis !== null && !apis.includes(POD_GROUP_API) && !apis.includes(GANG_API))
    limits.push({
      feature: 'gangs',
      message: `no gangs: the cluster serves neither ${POD_GROUP_API} nor ${GANG_API}`,
    });
  for (const [feature, message] of Object.entries(OPTIONAL_RESOURCES) as [OptionalResource, string][])
    if (missing.includes(feature)) limits.push({ feature, message });
  return limits;
}

/** The minor version in a version such as `v1.37.2-gke.1`; null when the text has another form. */
function minorVersion(version: string): number | null {
  const minor = /^v?1\.(\d+)/.exec(version)?.[1];
  return minor === undefined ? null : Number(minor);
}
