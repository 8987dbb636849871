import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import type { JobRow } from '../../read-model/tables/jobs.ts';
import type { PodRow } from '../../read-model/tables/pods.ts';
import { findDisruption } from './pod-object.ts';

/** The cause as a code without numbers, and as a text. */
export interface PodEnd {
  end_cause: string;
  end_message: string;
}

/** The reason why a pod ended or disappeared: the first cause counts. */
export function podEnd(pod: PodRow, job: JobRow, object: Pod | undefined): PodEnd {
  if (pod.phase === 'Succeeded') return end('Succeeded', 'Succeeded');
  return (
    deletedByUs(pod) ??
    disrupted(pod, object) ??
    deletedByOthers(pod, job) ??
    failed(pod) ??
    vanished(pod, job)
  );
}

function end(end_cause: string, end_message: string): PodEnd {
  return { end_cause, end_message };
}

/** Our deletion is the cause only if the pod had not ended before it. API timestamps have whole seconds. */
function deletedByUs(pod: PodRow): PodEnd | null {
  if (pod.deletion_decided_at === null || pod.deletion_message === null) return null;
  const endedBefore =
    pod.finished_at !== null && Date.parse(pod.finished_at) + 1000 <= Date.parse(pod.deletion_decided_at);
  return endedBefore ? null : end('DeletedByJobledger', `deleted by Jobledger: ${pod.deletion_message}`);
}

function disrupted(pod: PodRow, object: Pod | undefined): PodEnd | null {
  const disruption = object === undefined ? undefined : findDisruption(object);
  if (pod.reason === 'Evicted')
    return end('Evicted', withMessage('evicted', pod.message ?? disruption?.message));
  if (disruption === undefined) return null;
  if (disruption.reason === 'EvictionByEvictionAPI')
    return end('Evicted', withMessage('evicted', disruption.message));
  // PreemptionByScheduler, DeletionByTaintManager, DeletionByPodGC, TerminationByKubelet.
  return end(
    disruption.reason ?? 'Disrupted',
    withMessage(`disrupted (${disruption.reason ?? 'no reason given'})`, disruption.message),
  );
}

function deletedByOthers(pod: PodRow, job: JobRow): PodEnd | null {
  if (pod.deletion_requested_at === null) return null;
  const endedBefore =
    pod.finished_at !== null && Date.parse(pod.finished_at) < Date.parse(pod.deletion_requested_at);
  if (endedBefore && pod.phase === 'Failed') return null;
  return isGoing(job)
    ? end('DeletedWithJob', 'deleted with its Job')
    : end('Deleted', 'deleted by another client');
}

function failed(pod: PodRow): PodEnd | null {
  if (pod.phase !== 'Failed') return null;
  if (pod.exit_code !== null && pod.exit_code !== 0) {
    const text = `exit code ${pod.exit_code}`;
    return end(pod.reason ?? 'Error', pod.reason === null ? text : `${text} (${pod.reason})`);
  }
  return end(pod.reason ?? 'Failed', withMessage(pod.reason ?? 'Failed', pod.message));
}

/** The pod disappeared, and no version of it shows why. */
function vanished(pod: PodRow, job: JobRow): PodEnd {
  if (isGoing(job)) return end('DeletedWithJob', 'deleted with its Job');
  return pod.phase === null
    ? end('NeverObserved', 'gone before it was ever observed')
    : end('NotObserved', 'gone while nobody watched');
}

function isGoing(job: JobRow): boolean {
  return (job.deleted_at ?? job.deletion_requested_at) !== null;
}

function withMessage(text: string, message: string | null | undefined): string {
  return (message ?? '') === '' ? text : `${text}: ${message}`;
}
