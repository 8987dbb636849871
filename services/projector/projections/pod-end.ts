import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import type { JobRow } from '../../read-model/tables/jobs.ts';
import type { PodRow } from '../../read-model/tables/pods.ts';
import { findDisruption } from './pod-object.ts';

/** The cause of a pod's end, as a code without numbers and as a text. */
export interface PodEnd {
  end_cause: string;
  end_message: string;
}

/** The reason why a pod ended or disappeared. The first cause in this order counts. */
export function podEnd(pod: PodRow, job: JobRow, object: Pod | undefined): PodEnd {
  if (pod.phase === 'Succeeded') return toPodEnd('Succeeded', 'Succeeded');
  return (
    endByJobledger(pod) ??
    endByDisruption(pod, object) ??
    endByOtherDeletion(pod, job) ??
    endByFailure(pod) ??
    endWithoutVersion(pod, job)
  );
}

function toPodEnd(end_cause: string, end_message: string): PodEnd {
  return { end_cause, end_message };
}

/**
 * The end of a pod that Jobledger deleted; null if the pod had ended before the deletion. The comparison allows for API
 * timestamps with whole seconds.
 */
function endByJobledger(pod: PodRow): PodEnd | null {
  if (pod.deletion_decided_at === null || pod.deletion_message === null) return null;
  const endedBefore =
    pod.finished_at !== null && Date.parse(pod.finished_at) + 1000 <= Date.parse(pod.deletion_decided_at);
  return endedBefore ? null : toPodEnd('DeletedByJobledger', `deleted by Jobledger: ${pod.deletion_message}`);
}

/** The end of a pod that Kubernetes evicted, preempted or deleted; null for any other pod. */
function endByDisruption(pod: PodRow, object: Pod | undefined): PodEnd | null {
  const disruption = object === undefined ? undefined : findDisruption(object);
  if (pod.reason === 'Evicted')
    return toPodEnd('Evicted', appendMessage('evicted', pod.message ?? disruption?.message));
  if (disruption === undefined) return null;
  if (disruption.reason === 'EvictionByEvictionAPI')
    return toPodEnd('Evicted', appendMessage('evicted', disruption.message));
  // The reason is PreemptionByScheduler, DeletionByTaintManager, DeletionByPodGC or TerminationByKubelet.
  return toPodEnd(
    disruption.reason ?? 'Disrupted',
    appendMessage(`disrupted (${disruption.reason ?? 'no reason given'})`, disruption.message),
  );
}

function endByOtherDeletion(pod: PodRow, job: JobRow): PodEnd | null {
  if (pod.deletion_requested_at === null) return null;
  const endedBefore =
    pod.finished_at !== null && Date.parse(pod.finished_at) < Date.parse(pod.deletion_requested_at);
  if (endedBefore && pod.phase === 'Failed') return null;
  return isBeingDeleted(job)
    ? toPodEnd('DeletedWithJob', 'deleted with its Job')
    : toPodEnd('Deleted', 'deleted by another client');
}

/** The end of a pod that failed by itself; null for any other pod. */
function endByFailure(pod: PodRow): PodEnd | null {
  if (pod.phase !== 'Failed') return null;
  if (pod.exit_code !== null && pod.exit_code !== 0) {
    const text = `exit code ${pod.exit_code}`;
    return toPodEnd(pod.reason ?? 'Error', pod.reason === null ? text : `${text} (${pod.reason})`);
  }
  return toPodEnd(pod.reason ?? 'Failed', appendMessage(pod.reason ?? 'Failed', pod.message));
}

/** The end of a pod that disappeared without a version that shows the reason. */
function endWithoutVersion(pod: PodRow, job: JobRow): PodEnd {
  if (isBeingDeleted(job)) return toPodEnd('DeletedWithJob', 'deleted with its Job');
  return pod.phase === null
    ? toPodEnd('NeverObserved', 'gone before it was ever observed')
    : toPodEnd('NotObserved', 'gone while nobody watched');
}

function isBeingDeleted(job: JobRow): boolean {
  return (job.deleted_at ?? job.deletion_requested_at) !== null;
}

function appendMessage(text: string, message: string | null | undefined): string {
  return (message ?? '') === '' ? text : `${text}: ${message}`;
}
