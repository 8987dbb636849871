import type { AgentContainer, DownwardFile, KeyToPath, AgentPod, Volume, VolumeSource } from '../pod/pod.ts';
import { ConfigError, type ClusterObjects } from '../container/cluster-objects.ts';
import { podField, resourceField } from '../container/downward.ts';
import { readEntries } from '../container/environment.ts';

/** The projected sources of a volume; undefined when the volume is of another kind. */
export function volumeSources(volume: Volume): VolumeSource[] | undefined {
  if (volume.projected) return volume.projected.sources ?? [];
  if (volume.configMap) return [{ configMap: volume.configMap }];
  if (volume.secret) return [{ secret: { ...volume.secret, name: volume.secret.secretName } }];
  return volume.downwardAPI ? [{ downwardAPI: volume.downwardAPI }] : undefined;
}

/**
 * The files of one source, keyed by their path in the volume.
 * @throws ConfigError when an object or key is missing and not optional.
 */
export async function projectedFiles(
  source: VolumeSource,
  pod: AgentPod,
  container: AgentContainer,
  from: { objects: ClusterObjects; node: Record<string, string> },
): Promise<Record<string, string | Buffer>> {
  if (source.configMap)
    return selectItems(source.configMap, await readEntries(pod, 'configMap', source.configMap, from.objects));
  if (source.secret)
    return selectItems(source.secret, await readEntries(pod, 'secret', source.secret, from.objects));
  if (source.downwardAPI) return downwardFiles(source.downwardAPI.items ?? [], pod, container, from.node);
  if (!source.serviceAccountToken)
    throw new ConfigError(`a projected volume has a source that this node does not support`);
  const { path, audience, expirationSeconds } = source.serviceAccountToken;
  const { namespace, name, uid } = pod.metadata;
  const token = await from.objects.token({
    namespace,
    serviceAccount: pod.spec.serviceAccountName ?? 'default',
    pod: { name, uid },
    ...(audience === undefined ? {} : { audience }),
    ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
  });
  return { [path]: token };
}

function selectItems(
  ref: { name: string; optional?: boolean; items?: KeyToPath[] },
  entries: Record<string, Buffer>,
): Record<string, Buffer> {
  if (ref.items === undefined) return entries;
  const selected: Record<string, Buffer> = {};
  for (const { key, path } of ref.items) {
    const content = entries[key];
    if (content !== undefined) selected[path] = content;
    else if (ref.optional !== true)
      throw new ConfigError(`references non-existent key ${key} of "${ref.name}"`);
  }
  return selected;
}

function downwardFiles(
  items: readonly DownwardFile[],
  pod: AgentPod,
  container: AgentContainer,
  node: Record<string, string>,
): Record<string, string> {
  const contents = items.map((item) => {
    const field = item.fieldRef
      ? podField(pod, item.fieldRef.fieldPath)
      : item.resourceFieldRef && resourceField(pod, container, item.resourceFieldRef, node);
    if (field === undefined) throw new ConfigError(`this node does not support the field of ${item.path}`);
    return [item.path, field] as const;
  });
  return Object.fromEntries(contents);
}
