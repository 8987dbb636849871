import type { ContainerStatus, Pod } from '../kubernetes/objects.ts';
import { sidecarsOf } from './sidecars.ts';

/** When a pod finished, in milliseconds since the epoch: the first of J-5.41 (a) to (d) that applies. */
export function finishedAtOf(pod: Pod): number {
  return (
    lastContainerEnd(pod) ??
    unreadySince(pod) ??
    deletionAsked(pod) ??
    Date.parse(pod.metadata.creationTimestamp)
  );
}

/** (a) The latest end, when every regular and every restartable init container has ended. */
function lastContainerEnd({ spec, status }: Pod): number | null {
  const regular = endOf(status?.containerStatuses ?? []);
  const restartable = endOf(sidecarsOf(spec, status?.initContainerStatuses ?? []));
  if (regular === 'running' || regular === 'none')
    return typeof restartable === 'number' ? restartable : null;
  if (restartable === 'running') return null;
  return restartable === 'none' ? regular : Math.max(regular, restartable);
}

function endOf(statuses: ContainerStatus[]): number | 'running' | 'none' {
  if (statuses.length === 0) return 'none';
  const ends = statuses.map((each) => Date.parse(each.state?.terminated?.finishedAt ?? ''));
  return ends.some((end) => Number.isNaN(end)) ? 'running' : Math.max(...ends);
}

/** (b) */
function unreadySince({ status }: Pod): number | null {
  const unready = status?.conditions?.find(
    (condition) => condition.type === 'Ready' && condition.status === 'False',
  );
  return instantOf(unready?.lastTransitionTime);
}

/** (c) */
function deletionAsked({ metadata }: Pod): number | null {
  const deletion = instantOf(metadata.deletionTimestamp);
  return deletion === null ? null : deletion - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
}

function instantOf(text: string | null | undefined): number | null {
  const instant = Date.parse(text ?? '');
  return Number.isNaN(instant) ? null : instant;
}
