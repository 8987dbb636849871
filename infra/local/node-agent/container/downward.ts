import { parseQuantity } from '../../../../services/adapters/kubernetes/quantity.ts';
import type { AgentContainer, AgentPod, ResourceFieldRef } from '../pod/pod.ts';
import { allContainers } from '../pod/pod.ts';
import { POD_IP } from '../pod/status.ts';

/** The value of a pod field by the path of a `fieldRef`; undefined when the downward API has no such field. */
export function podField(pod: AgentPod, path: string): string | undefined {
  const keyed = /^metadata\.(labels|annotations)\['([^']*)'\]$/.exec(path);
  if (keyed !== null)
    return (keyed[1] === 'labels' ? pod.metadata.labels : pod.metadata.annotations)?.[keyed[2] ?? ''] ?? '';
  const fields: Record<string, () => string> = {
    'metadata.name': () => pod.metadata.name,
    'metadata.namespace': () => pod.metadata.namespace,
    'metadata.uid': () => pod.metadata.uid,
    'metadata.labels': () => asLines(pod.metadata.labels),
    'metadata.annotations': () => asLines(pod.metadata.annotations),
    'spec.nodeName': () => pod.spec.nodeName ?? '',
    'spec.serviceAccountName': () => pod.spec.serviceAccountName ?? '',
    'status.podIP': () => POD_IP,
    'status.podIPs': () => POD_IP,
    'status.hostIP': () => POD_IP,
    'status.hostIPs': () => POD_IP,
  };
  return fields[path]?.();
}

function asLines(map: Record<string, string> = {}): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join('\n');
}

/** A container's request or limit. A missing limit is the node's allocatable amount, a missing request is 0. */
export function resourceField(
  pod: AgentPod,
  own: AgentContainer,
  ref: ResourceFieldRef,
  node: Record<string, string>,
): string | undefined {
  const container = allContainers(pod).find((one) => one.name === (ref.containerName ?? own.name));
  const [kind, name] = splitAtDot(ref.resource);
  if (container === undefined || (kind !== 'limits' && kind !== 'requests')) return undefined;
  const quantity = container.resources?.[kind]?.[name] ?? (kind === 'limits' ? node[name] : '0');
  return quantity === undefined ? undefined : divideQuantity(quantity, ref.divisor);
}

/** A quantity in units of a divisor, rounded up. */
export function divideQuantity(quantity: string, divisor: string | undefined): string {
  const unit = divisor === undefined || divisor === '0' ? 1 : parseQuantity(divisor);
  // Digits beyond the sixth are rounding errors of the division.
  return String(Math.ceil(Number((parseQuantity(quantity) / unit).toFixed(6))));
}

function splitAtDot(path: string): [string, string] {
  const dot = path.indexOf('.');
  return [path.slice(0, dot), path.slice(dot + 1)];
}
