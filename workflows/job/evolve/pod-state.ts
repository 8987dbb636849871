import type { JobFacts } from '../../batch/facts.ts';
import type { PodFacts } from '../facts.ts';
import { isIndexed } from '../../batch/completion-indexes.ts';
import { indexOfName, podOrdinal } from '../definitions/pod-names.ts';
import { matchesSelector } from '../definitions/selector.ts';
import { isFinished } from '../../batch/conditions.ts';
import type { PodState } from '../state.ts';

/**
 * The relation of the pod to the Job (J-3.30, J-3.31); `free` means that the pod has no controller, but has the
 * finalizer of Jobledger (J-3.46, J-4.32).
 */
export function podClaim(
  job: JobFacts | null,
  pod: PodFacts,
): 'ours' | 'adopt' | 'disown' | 'free' | 'other' {
  if (pod.elsewhere === true) return 'other';
  if (job === null) return 'ours';
  // A UID is not secret, so a pod of any namespace can name it.
  if (pod.namespace !== job.namespace) return 'other';
  const isOwnersNameOther = pod.controllerName !== undefined && pod.controllerName !== job.name;
  if (pod.controller === job.uid && isOwnersNameOther) return 'other';
  const matches = pod.labels === undefined || matchesSelector(job.spec.selector, pod.labels);
  const unclaimed = pod.tracked === true ? 'free' : 'other';
  // A Job that is being deleted disowns no pods (J-3.31), but removes its finalizer.
  if (pod.controller === job.uid && !matches) return job.deleting ? unclaimed : 'disown';
  if (pod.controller === job.uid) return 'ours';
  if (pod.controller !== undefined) return 'other';
  if (matches && pod.deleting !== true && !job.deleting && !isFinished(job.status)) return 'adopt';
  return unclaimed;
}

/**
 * The state of a pod; the assignment of single fields is faster, and this code runs for every observation of a pod.
 */
export function podState(job: JobFacts | null, pod: PodFacts): PodState {
  const { phase, tracked, deleting, scheduled, ready, readySince, finishedAt, restarts, maxRestarts } = pod;
  const { maxSidecarRestarts, failureCount, ignoredFailureCount, exits, conditions } = pod;
  const created = toSeconds(pod.createdAt);
  const { creation, index } = indexesOfPod(job, pod);
  const ordinal = job === null ? null : podOrdinal(job, pod.name, creation ?? index);
  const state: PodState = ordinal === null ? { name: pod.name, created } : { ordinal, created };
  if (job === null)
    state.owner = {
      namespace: pod.namespace,
      ...(pod.controllerName !== undefined && { controller: pod.controllerName }),
    };
  if (phase !== 'Running') state.phase = phase;
  if (ready === true) state.ready = toSeconds(readySince ?? 0);
  if (scheduled !== true) state.unscheduled = true;
  if (deleting === true) state.deleting = true;
  if (tracked !== true) state.untracked = true;
  if (finishedAt !== undefined) state.finished = toSeconds(finishedAt);
  if (restarts !== undefined) state.restarts = restarts;
  if (maxRestarts !== undefined) state.maxRestarts = maxRestarts;
  if (maxSidecarRestarts !== undefined) state.maxSidecarRestarts = maxSidecarRestarts;
  Object.assign(state, indexFields({ creation, index, annotated: pod.index }));
  if (failureCount !== undefined) state.failureCount = failureCount;
  if (ignoredFailureCount !== undefined) state.ignoredFailureCount = ignoredFailureCount;
  if (exits !== undefined) state.exits = exits;
  if (conditions !== undefined) state.conditions = conditions;
  return state;
}

interface IndexesOfPod {
  /** The index for which Jobledger created the pod, by the name of the pod; undefined for other pods. */
  creation: number | undefined;
  /** The index under which the pod is counted. */
  index: number | undefined;
}

/**
 * The indexes of a pod, whose annotation another client may have edited. Kubernetes uses the edited index (J-0.4);
 * for a member of a spread Job, the index of the creation counts, because otherwise one index would run twice and
 * another index never.
 */
export function indexesOfPod(
  job: JobFacts | null,
  { name, index }: { name: string; index?: number | undefined },
): IndexesOfPod {
  const creation = job === null || !isIndexed(job.spec) ? undefined : indexOfName(job, name);
  return { creation, index: job?.annotations?.indexes === undefined ? index : (creation ?? index) };
}

/** The indexes of a pod as fields of its state; fields with their usual value are left out. */
export function indexFields({
  creation,
  index,
  annotated,
}: IndexesOfPod & { annotated: number | undefined }): Pick<PodState, 'index' | 'createdFor'> {
  return {
    ...(index !== undefined && { index }),
    ...(creation !== undefined && creation !== annotated && { createdFor: creation }),
  };
}

/** The instant in whole seconds. */
function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
