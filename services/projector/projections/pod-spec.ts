import { podResources, type Amounts } from '../../adapters/kubernetes/pod-resources.ts';
import type { ContainerState, ContainerStatus, Pod } from '../../../workflows/kubernetes/objects.ts';
import type { PodRow } from '../../read-model/tables/pods.ts';
import { toTimestamp } from './instants.ts';

type SpecColumns = Pick<
  PodRow,
  | 'image'
  | 'image_digest'
  | 'cpu_request_cores'
  | 'memory_request_bytes'
  | 'gpu_request'
  | 'requests'
  | 'limits'
  | 'priority_class'
  | 'qos_class'
>;

/** The requests and the image of a pod. The image is the image of the pod's first container. */
export function specColumnsOfPod({ spec, status }: Pod): SpecColumns {
  const [first] = spec.containers;
  const ran = status?.containerStatuses?.find(({ name }) => name === first?.name);
  const { requests, limits } = podResources(spec);
  return {
    image: first?.image ?? null,
    image_digest: findDigest(ran?.imageID),
    cpu_request_cores: String(requests['cpu'] ?? 0),
    memory_request_bytes: String(requests['memory'] ?? 0),
    gpu_request: String(countGpus(requests)),
    requests,
    limits,
    priority_class: spec.priorityClassName ?? null,
    qos_class: status?.qosClass ?? null,
  };
}

/** The digest `sha256:…` in an image id; null while no image is known, and for an id without a digest. */
function findDigest(imageId = ''): string | null {
  return /(?:^|@)(sha256:[0-9a-f]{64})$/.exec(imageId)?.[1] ?? null;
}

/** The number of whole GPUs: the sum of the extended resources of device plugins, such as `nvidia.com/gpu`. */
export function countGpus(amounts: Amounts): number {
  return Object.entries(amounts)
    .filter(([name]) => name.endsWith('/gpu'))
    .reduce((sum, [, amount]) => sum + amount, 0);
}

/**
 * The time at which the first container of a pod started, including init containers; null before this start. After
 * restarts, only the last two starts of a container are known.
 */
export function firstContainerStart({ status }: Pod): string | null {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const starts = all.flatMap(startTimes).flatMap((at) => toTimestamp(at) ?? []);
  return starts.toSorted()[0] ?? null;
}

function startTimes({ state, lastState }: ContainerStatus): string[] {
  const startTime = ({ running, terminated }: ContainerState): string[] =>
    [running?.startedAt, terminated?.startedAt].filter((at) => at !== undefined && at !== null);
  return [...startTime(state ?? {}), ...startTime(lastState ?? {})];
}
