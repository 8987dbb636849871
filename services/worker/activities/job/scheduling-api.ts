import type { SchedulingApi } from '../../../../workflows/job/settings.ts';
import { GANG_API, POD_GROUP_API } from '../../../../workflows/kubernetes/names.ts';
import { errorMessage } from '../../../adapters/errors.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import { servedVersions } from '../../../adapters/kubernetes/cluster-facts.ts';
import type { Log } from '../../../adapters/process/log.ts';
import { isForbidden } from '../../command/requests.ts';

/** The time for which an answer is used for other Jobs too, in milliseconds. */
const KEPT_MS = 60_000;

interface Asking {
  client: KubernetesClient;
  log: Log;
  now: () => number;
}

/**
 * Asks the API server which API of Workloads and PodGroups it serves (J-8.1, J-8.20). @throws UnavailableError when the
 * API server does not answer.
 */
export function createSchedulingApi(asking: Asking): () => Promise<SchedulingApi> {
  const { now } = asking;
  let known: { api: SchedulingApi; until: number } | null = null;
  return async () => {
    if (known === null || known.until <= now())
      known = { api: await findServedApi(asking), until: now() + KEPT_MS };
    return known.api;
  };
}

async function findServedApi(asking: Asking): Promise<SchedulingApi> {
  const { client, log } = asking;
  try {
    // The API server answers 404 for an API that it does not serve. A proxy without an API server also answers 404, but
    // for every path.
    const versions = await servedVersions(client);
    const isServed = async (api: string): Promise<boolean> =>
      versions.includes(api) && hasGroups(asking, api);
    if (await isServed(POD_GROUP_API)) return 'v1beta1';
    return (await isServed(GANG_API)) ? 'served' : 'not-served';
  } catch (error) {
    if (!isForbidden(error)) throw error;
    log.warn(
      { cluster: client.cluster, error: errorMessage(error) },
      'the cluster does not report which APIs it serves, so no Job gets a gang; grant the ClusterRole system:discovery',
    );
    return 'not-served';
  }
}

async function hasGroups({ client }: Asking, api: string): Promise<boolean> {
  const { resources = [] } = await client.request<{ resources?: { name: string }[] }>({
    method: 'GET',
    path: `/apis/${api}`,
  });
  return ['workloads', 'podgroups'].every((wanted) => resources.some(({ name }) => name === wanted));
}
