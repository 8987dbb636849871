import type { ContainerStatus, PodSpec } from '../../kubernetes/objects.ts';

/** The statuses of sidecars: init containers with `restartPolicy: Always`. */
export function sidecarsOf({ initContainers = [] }: PodSpec, statuses: ContainerStatus[]): ContainerStatus[] {
  const names = new Set(
    initContainers.filter((each) => each.restartPolicy === 'Always').map((each) => each.name),
  );
  return statuses.filter((each) => names.has(each.name));
}
