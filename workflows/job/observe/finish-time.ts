import type { ContainerStatus, Pod } from '../../kubernetes/objects.ts';
import { parseInstant } from '../../ledger/instants.ts';
import { sidecarStatuses } from './sidecars.ts';
import { plainNumbers } from '../../ledger/plain-numbers.ts';

/** The finish time of a pod in milliseconds since 1970: the first of J-5.41 (a) to (d) that applies. */
export function podFinishTime(pod: Pod): number {
  return (
    lastContainerEnd(pod) ??
    unreadySince(pod) ??
    deletionAsked(pod) ??
    Date.parse(pod.metadata.creationTimestamp)
  );
}

/**
 * The latest end of all regular and restartable init containers, or of the restartable init containers alone, by
 * J-5.41 (a).
 */
function lastContainerEnd({ spec, status }: Pod): number | null {
  const restartable = sidecarStatuses(spec, status?.initContainerStatuses ?? []);
  return lastEnd([...(status?.containerStatuses ?? []), ...restartable]) ?? lastEnd(restartable);
}

/** The latest end of some containers; null when a container has not ended, or when there is no container. */
function lastEnd(statuses: ContainerStatus[]): number | null {
  const ends = statuses.flatMap((each) => parseInstant(each.state?.terminated?.finishedAt) ?? []);
  return ends.length === 0 || ends.length < statuses.length ? null : Math.max(...ends);
}

/** The time since which the pod has been unready, by J-5.41 (b). */
function unreadySince({ status }: Pod): number | null {
  const unready = status?.conditions?.find(
    (condition) => condition.type === 'Ready' && condition.status === 'False',
  );
  return parseInstant(unready?.lastTransitionTime);
}

/**
 * The time at which the deletion of the pod was requested, by J-5.41 (c); a grace period may exceed the range of
 * exact numbers.
 */
function deletionAsked({ metadata }: Pod): number | null {
  const deletion = parseInstant(metadata.deletionTimestamp);
  return deletion === null ? null : deletion - plainNumbers(metadata.deletionGracePeriodSeconds ?? 0) * 1000;
}
