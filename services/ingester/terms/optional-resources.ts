import { KubernetesApiError } from '../../adapters/errors.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { collectionPath } from '../../adapters/kubernetes/collection-path.ts';
import { OPTIONAL_RESOURCES } from '../../adapters/kubernetes/optional-resources.ts';
import { rethrowAsRefusal } from '../../adapters/kubernetes/refusals.ts';
import type { Log } from '../../adapters/process/log.ts';
import { logFailures, retry } from '../../adapters/waiting/retry.ts';
import { namespaceIn, watchName, type Part } from '../../shards/watch-names.ts';
import type { OptionalResource } from '../../../workflows/ledger/cluster-events.ts';

const RESOURCES = Object.keys(OPTIONAL_RESOURCES) as OptionalResource[];

/** The optional resources that the account may list, for each watched part of the cluster. */
export type Readable = ReadonlyMap<Part, readonly OptionalResource[]>;

/**
 * Asks for the first object of each optional resource in each part; nodes have no namespace, so they are not recorded for
 * given namespaces. @throws InputError when the API server does not
 * accept the credentials, UnavailableError.
 */
export async function readableResources(
  client: KubernetesClient,
  { parts, signal }: { parts: readonly Part[]; signal: AbortSignal },
): Promise<Readable> {
  const answers = new Map<string, boolean>();
  const readable = new Map<Part, OptionalResource[]>();
  for (const part of parts) {
    const resources: OptionalResource[] = [];
    for (const resource of RESOURCES) {
      const namespace = namespaceIn(watchName(resource, part));
      // An installation in given namespaces has no rights in the whole cluster, so it does not ask for them.
      if (resource === 'nodes' && namespace !== undefined) continue;
      const path = collectionPath(resource, namespace);
      // Nodes have the same path in each shard.
      const answer = answers.get(path) ?? (await mayList(client, path, signal));
      answers.set(path, answer);
      if (answer) resources.push(resource);
    }
    readable.set(part, resources);
  }
  return readable;
}

/** Works like `readableResources`, but waits while the cluster does not answer, and logs which resources are missing. */
export async function findReadableResources(
  client: KubernetesClient,
  { parts, log, signal }: { parts: readonly Part[]; log: Log; signal: AbortSignal },
): Promise<Readable> {
  const { cluster } = client;
  const onFailedAttempt = logFailures(log, 'the cluster does not answer; waiting for it', { cluster });
  const readable = await retry(() => readableResources(client, { parts, signal }), {
    signal,
    onFailedAttempt,
  });
  for (const resource of notRecorded({ readable })) log.info({ cluster }, OPTIONAL_RESOURCES[resource]);
  return readable;
}

/** The optional resources that are not recorded in every part, sorted. */
export function notRecorded({ readable }: { readable: Readable }): OptionalResource[] {
  return RESOURCES.filter((resource) => ![...readable.values()].every((each) => each.includes(resource)));
}

async function mayList(client: KubernetesClient, path: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.request({ method: 'GET', path: `${path}?limit=1`, signal });
    return true;
  } catch (error) {
    // The account lacks the right, or the cluster does not serve the API.
    if (error instanceof KubernetesApiError && (error.status === 403 || error.status === 404)) return false;
    return rethrowAsRefusal(client.cluster)(error);
  }
}
