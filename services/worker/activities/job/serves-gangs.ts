import { GANG_API } from '../../../../workflows/kubernetes/names.ts';
import { messageOf } from '../../../adapters/errors.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import type { Log } from '../../../adapters/process/log.ts';
import { isForbidden } from '../requests.ts';

/** How long an answer also serves other Jobs, in milliseconds. */
const KEPT_MS = 60_000;

/** Asks the API server whether it serves Workloads and PodGroups (J-8.1). @throws UnavailableError when it does not answer. */
export function createServesGangs({
  client,
  log,
  now,
}: {
  client: KubernetesClient;
  log: Log;
  now: () => number;
}): () => Promise<boolean> {
  let known: { isServed: boolean; until: number } | null = null;
  return async () => {
    if (known === null || known.until <= now())
      known = { isServed: await servesGangs(client, log), until: now() + KEPT_MS };
    return known.isServed;
  };
}

interface ServedGroups {
  groups?: { versions: { groupVersion: string }[] }[];
}

async function servesGangs(client: KubernetesClient, log: Log): Promise<boolean> {
  try {
    // The API server answers 404 for an API that it does not serve, but so does a proxy without an API server behind
    // it, for every path.
    const { groups = [] } = await client.request<ServedGroups>({ method: 'GET', path: '/apis' });
    const versions = groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion));
    if (!versions.includes(GANG_API)) return false;
    const { resources = [] } = await client.request<{ resources?: { name: string }[] }>({
      method: 'GET',
      path: `/apis/${GANG_API}`,
    });
    return ['workloads', 'podgroups'].every((wanted) => resources.some(({ name }) => name === wanted));
  } catch (error) {
    if (!isForbidden(error)) throw error;
    log.warn(
      { cluster: client.cluster, error: messageOf(error) },
      'the cluster does not say which APIs it serves, so no Job gets a gang; grant the ClusterRole system:discovery',
    );
    return false;
  }
}
