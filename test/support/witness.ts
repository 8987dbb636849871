import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import {
  ExpiredError,
  list,
  eventVersion,
  watch,
  type ApiObject,
} from '../../services/adapters/kubernetes/watch.ts';

/** Watches a collection independently, to know which versions the API server offered. */
export interface Witness {
  /** Every version seen, by `<uid>/<resourceVersion>`. */
  seen: Map<string, ApiObject>;
  stop(): void;
}

/** Follows a collection until stopped, and resumes after each break. */
export async function witnessCollection(client: KubernetesClient, path: string): Promise<Witness> {
  const stopped = new AbortController();
  const seen = new Map<string, ApiObject>();
  void follow(client, path, await versionNow(client, path), seen, stopped.signal);
  return { seen, stop: () => stopped.abort() };
}

async function follow(
  client: KubernetesClient,
  path: string,
  from: string,
  seen: Map<string, ApiObject>,
  signal: AbortSignal,
): Promise<void> {
  let resourceVersion = from;
  while (!signal.aborted) {
    try {
      for await (const event of watch<ApiObject>(client, path, {
        resourceVersion,
        timeoutSeconds: 300,
        idleMs: 90_000,
        signal,
      })) {
        resourceVersion = eventVersion(event);
        if ('object' in event) seen.set(`${event.object.metadata.uid}/${resourceVersion}`, event.object);
      }
    } catch (error) {
      // The versions in between are no longer offered to anybody.
      if (error instanceof ExpiredError) resourceVersion = await versionNow(client, path, resourceVersion);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** The version of the collection now; `otherwise` when it cannot be read. */
async function versionNow(client: KubernetesClient, path: string, otherwise?: string): Promise<string> {
  try {
    return (await list<ApiObject>(client, path)).metadata.resourceVersion;
  } catch (error) {
    if (otherwise === undefined) throw error;
    return otherwise;
  }
}
