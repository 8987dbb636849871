import { z } from 'zod';
import { leasePath } from '../adapters/kubernetes/lease.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';
import { compareVersions } from '../../workflows/ledger/resource-version.ts';
import { leaseName } from './lease-name.ts';
import { namespaceShard } from './shards.ts';
import { isInPart, watchesResource, partIn } from './watch-names.ts';

/** The annotation of the ingester's Lease with the position of each of its watches in the ledger. */
const WATCHED = 'jobledger.dev/watched';
/** The annotation with the number of shards to which the holder belongs. */
const SHARDS = 'jobledger.dev/shards';

/**
 * `epoch` is the epoch of the versions; absent before the first restore. The other fields are versions by the name of
 * the watch.
 */
const VALUE = z.object({ epoch: z.number().optional() }).catchall(z.string());
const LEASE = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).optional() }),
});

/** The ledger contains all changes that the watch reported up to this version. */
export interface WatchedVersion {
  resourceVersion: string;
  epoch?: number;
}

/** The annotations of the Lease of an ingester. `positions` contains the positions by the name of the watch. */
export function watchedAnnotations(
  positions: ReadonlyMap<string, string>,
  { epoch = 0, shards = 1 }: { epoch?: number; shards?: number } = {},
): Record<string, string> {
  return {
    [WATCHED]: JSON.stringify({ ...(epoch > 0 && { epoch }), ...Object.fromEntries(positions) }),
    [SHARDS]: String(shards),
  };
}

/** The annotation of a Lease whose holder excludes the ingesters of all shards. */
export const WITHOUT_SHARDS: Readonly<Record<string, string>> = { [SHARDS]: '0' };

/** The number of shards to which the last holder of a Lease belonged; 1 without the annotation. */
export function shardsIn(lease: { metadata: { annotations?: Record<string, string> | undefined } }): number {
  return Number(lease.metadata.annotations?.[SHARDS] ?? 1);
}

/**
 * The position of the watch of a resource in a namespace, from the Lease of the ingester that watches it; null
 * without a position.
 */
export async function watchedVersion(
  client: KubernetesClient,
  leases: { namespace: string; installation: string },
  of: { resource: string; namespace: string },
  signal: AbortSignal,
): Promise<WatchedVersion | null> {
  const readShardLease = async (index: number): Promise<z.infer<typeof LEASE>> => {
    const path = leasePath(leases.namespace, leaseName(client.cluster, leases.installation, index));
    return LEASE.parse(await client.request<unknown>({ method: 'GET', path, signal }));
  };
  const first = await readShardLease(1);
  const index = namespaceShard(of.namespace, Math.max(1, shardsIn(first)));
  const lease = index === 1 ? first : await readShardLease(index);
  return versionIn(lease.metadata.annotations?.[WATCHED], of);
}

/** The version of the watch of a resource in a namespace, from the text of the annotation. */
function versionIn(
  text: string | undefined,
  { resource, namespace }: { resource: string; namespace: string },
): WatchedVersion | null {
  const { data } = VALUE.safeParse(tryParseJson(text));
  if (data === undefined) return null;
  const { epoch, ...positions } = data;
  const [resourceVersion] = Object.entries(positions)
    .filter(([name]) => watchesResource(resource, name) && isInPart(partIn(name), namespace))
    .map(([, version]) => version)
    .toSorted((a, b) => compareVersions(b, a));
  if (resourceVersion === undefined) return null;
  return { resourceVersion, ...(epoch !== undefined && { epoch }) };
}

function tryParseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
