import type { Container, ContainerStatus, PodSpec } from '../../kubernetes/objects.ts';

/** The statuses of sidecars: init containers with `restartPolicy: Always`. */
export function sidecarStatuses(
  { initContainers = [] }: PodSpec,
  statuses: ContainerStatus[],
): ContainerStatus[] {
  const names = new Set(initContainers.filter(isSidecar).map((each) => each.name));
  return statuses.filter((each) => names.has(each.name));
}

/** True for an init container that is a sidecar. */
export function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always';
}
