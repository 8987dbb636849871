import type { ContainerStatus, PodSpec } from '../../kubernetes/objects.ts';

/** Of the statuses of init containers, those of sidecars: init containers that are restarted as long as the pod lives. */
export function sidecarsOf({ initContainers = [] }: PodSpec, statuses: ContainerStatus[]): ContainerStatus[] {
  const names = new Set(
    initContainers.filter((each) => each.restartPolicy === 'Always').map((each) => each.name),
  );
  return statuses.filter((each) => names.has(each.name));
}
