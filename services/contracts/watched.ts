import { z } from 'zod';
import { leasePath } from '../adapters/kubernetes/lease.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';
import { compareVersions } from '../../workflows/job/definitions/resource-version.ts';
import { watchName } from './watch-names.ts';

/** The annotation of the ingester's Lease with the position of each of its watches in the ledger. */
const WATCHED = 'jobledger.dev/watched';

/**
 * `epoch`: the epoch of the versions; absent before the first restore. The other fields are versions by the name of the
 * watch.
 */
const VALUE = z.object({ epoch: z.number().optional() }).catchall(z.string());
const LEASE = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).optional() }),
});

/** Everything that a watch reported up to this version is in the ledger. */
export interface WatchedVersion {
  resourceVersion: string;
  epoch?: number;
}

/** The annotation's value for the ingester's Lease. `positions`: by the name of the watch. */
export function watchedAnnotations(
  positions: ReadonlyMap<string, string>,
  epoch = 0,
): Record<string, string> {
  return { [WATCHED]: JSON.stringify({ ...(epoch > 0 && { epoch }), ...Object.fromEntries(positions) }) };
}

/** The position of the watch of a resource in a namespace, from the Lease; null if it has none. */
export async function watchedVersion(
  client: KubernetesClient,
  lease: { namespace: string; name: string },
  of: { resource: string; namespace: string },
  signal: AbortSignal,
): Promise<WatchedVersion | null> {
  const path = leasePath(lease.namespace, lease.name);
  const found = LEASE.parse(await client.request<unknown>({ method: 'GET', path, signal }));
  return versionIn(found.metadata.annotations?.[WATCHED], of);
}

function versionIn(
  text: string | undefined,
  { resource, namespace }: { resource: string; namespace: string },
): WatchedVersion | null {
  const { data } = VALUE.safeParse(jsonOf(text));
  if (data === undefined) return null;
  const { epoch, ...positions } = data;
  const [resourceVersion] = [watchName(resource, namespace), resource]
    .flatMap((name) => positions[name] ?? [])
    .toSorted((a, b) => compareVersions(b, a));
  if (resourceVersion === undefined) return null;
  return { resourceVersion, ...(epoch !== undefined && { epoch }) };
}

function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
