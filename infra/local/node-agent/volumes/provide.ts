import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../../../../services/adapters/make-directory.ts';
import type { AgentContainer, AgentPod, Volume, VolumeMount } from '../pod/pod.ts';
import { ConfigError, type ClusterObjects } from '../container/cluster-objects.ts';
import { mentionsMount, type Mount } from '../container/mounts.ts';
import { projectedFiles, volumeSources } from './projection.ts';

export interface VolumeSources {
  objects: ClusterObjects;
  node: Record<string, string>;
}

/**
 * Creates the volumes that a container mounts, below the pod's directory, and returns the path of each volume.
 * @throws ConfigError for an unsupported kind of volume, or a reference to a missing object.
 */
export async function provideMounts(
  pod: AgentPod,
  container: AgentContainer,
  podDirectory: string,
  from: VolumeSources,
): Promise<Mount[]> {
  const mounts: Mount[] = [];
  for (const mount of container.volumeMounts ?? []) {
    const volume = pod.spec.volumes?.find((one) => one.name === mount.name);
    if (volume === undefined || isUnusedToken(volume, container, mount)) continue;
    const directory = await provideVolume(
      volume,
      pod,
      container,
      join(podDirectory, 'volumes', volume.name),
      from,
    );
    const hostPath = mount.subPath === undefined ? directory : join(directory, mount.subPath);
    if (volume.emptyDir !== undefined) mkdirSync(hostPath, { recursive: true });
    mounts.push({ name: mount.name, mountPath: mount.mountPath, hostPath });
  }
  return mounts;
}

/**
 * The API server adds a token volume to every pod. Clients look for the token at a fixed path, which a plain process
 * cannot have, so the token is requested only when the container mentions the mount.
 */
function isUnusedToken(volume: Volume, container: AgentContainer, mount: VolumeMount): boolean {
  const hasToken = (volume.projected?.sources ?? []).some(
    (source) => source.serviceAccountToken !== undefined,
  );
  return hasToken && !mentionsMount(container, mount);
}

/** The host path, which is created first when its type is `DirectoryOrCreate` or `FileOrCreate`, as a kubelet does. */
function existingHostPath({ path, type }: NonNullable<Volume['hostPath']>): string {
  if (type === 'DirectoryOrCreate') makeDirectory(path);
  if (type === 'FileOrCreate') closeSync(openSync(path, 'a'));
  return path;
}

async function provideVolume(
  volume: Volume,
  pod: AgentPod,
  container: AgentContainer,
  directory: string,
  from: VolumeSources,
): Promise<string> {
  if (volume.hostPath !== undefined) return existingHostPath(volume.hostPath);
  mkdirSync(directory, { recursive: true });
  if (volume.emptyDir !== undefined) return directory;
  const sources = volumeSources(volume);
  if (sources === undefined)
    throw new ConfigError(`volume "${volume.name}": this node does not support its kind`);
  for (const source of sources) {
    for (const [path, content] of Object.entries(await projectedFiles(source, pod, container, from))) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), content);
    }
  }
  return directory;
}
