import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import type { JobRow } from '../../read-model/tables/jobs.ts';
import type { PodRow } from '../../read-model/tables/pods.ts';
import { disruptionOf } from './pod-object.ts';

/** Why a pod ended or disappeared, in words: the first cause wins. */
export function endMessage(pod: PodRow, job: JobRow, object: Pod | undefined): string {
  if (pod.phase === 'Succeeded') return 'Succeeded';
  return (
    deletedByUs(pod) ??
    disrupted(pod, object) ??
    deletedByOthers(pod, job) ??
    failed(pod) ??
    vanished(pod, job)
  );
}

/** Our deletion is the cause only if the pod had not ended before it. API timestamps have whole seconds. */
function deletedByUs(pod: PodRow): string | null {
  if (pod.deletion_decided_at === null || pod.deletion_message === null) return null;
  const endedBefore =
    pod.finished_at !== null && Date.parse(pod.finished_at) + 1000 <= Date.parse(pod.deletion_decided_at);
  return endedBefore ? null : `deleted by Jobledger: ${pod.deletion_message}`;
}

function disrupted(pod: PodRow, object: Pod | undefined): string | null {
  const disruption = object === undefined ? undefined : disruptionOf(object);
  if (pod.reason === 'Evicted') return withMessage('evicted', pod.message ?? disruption?.message);
  if (disruption === undefined) return null;
  const evicted = disruption.reason === 'EvictionByEvictionAPI';
  return withMessage(
    evicted ? 'evicted' : `disrupted (${disruption.reason ?? 'no reason given'})`,
    disruption.message,
  );
}

function deletedByOthers(pod: PodRow, job: JobRow): string | null {
  if (pod.deletion_requested_at === null) return null;
  const endedBefore =
    pod.finished_at !== null && Date.parse(pod.finished_at) < Date.parse(pod.deletion_requested_at);
  if (endedBefore && pod.phase === 'Failed') return null;
  return isGoing(job) ? 'deleted with its Job' : 'deleted by somebody else';
}

function failed(pod: PodRow): string | null {
  if (pod.phase !== 'Failed') return null;
  if (pod.exit_code !== null && pod.exit_code !== 0) {
    return pod.reason === null ? `exit code ${pod.exit_code}` : `exit code ${pod.exit_code} (${pod.reason})`;
  }
  return withMessage(pod.reason ?? 'Failed', pod.message);
}

/** It disappeared, and no version of it shows why. */
function vanished(pod: PodRow, job: JobRow): string {
  if (isGoing(job)) return 'deleted with its Job';
  return pod.phase === null ? 'gone before it was ever observed' : 'gone while nobody watched';
}

function isGoing(job: JobRow): boolean {
  return (job.deleted_at ?? job.deletion_requested_at) !== null;
}

function withMessage(text: string, message: string | null | undefined): string {
  return (message ?? '') === '' ? text : `${text}: ${message}`;
}
