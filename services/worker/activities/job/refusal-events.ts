import type { ApiFailure, PodOutcome } from '../../../../workflows/job/outcomes.ts';
import type { EventOnJob } from './events-on-job.ts';
import type { AnyOutcome } from './outcome-of.ts';
import { STALE } from './stale.ts';
import { NOT_CLAIMED } from './unclaimed.ts';

/**
 * Warnings on the Job about changes that the cluster refuses, with who refused them and why. Creations and deletions of pods
 * have upstream's own Events (J-7.2); upstream says nothing about the others.
 */
export function refusalEvents(job: { name: string }, outcome: AnyOutcome): EventOnJob[] {
  switch (outcome.kind) {
    case 'ReleasePods':
      return ofPods('FailedRelease', 'removing the finalizer of', outcome.pods);
    case 'AdoptPods':
      return ofPods('FailedAdopt', 'adopting', outcome.pods);
    case 'DisownPods':
      return ofPods('FailedDisown', 'disowning', outcome.pods);
    case 'WriteStatus':
      return outcome.result === 'failed' && !isOwn(outcome.error)
        ? [warning('FailedStatusUpdate', 'writing the status', outcome)]
        : [];
    case 'SetSuspend':
      return outcome.result === 'failed' && !isOwn(outcome.error)
        ? [warning('FailedSuspend', 'changing spec.suspend', outcome)]
        : [];
    case 'DeleteJob':
      return outcome.result === 'failed' ? [warning('FailedDelete', 'deleting the Job', outcome)] : [];
    case 'EnsureGang':
      if (outcome.result !== 'failed' || isOwn(outcome.error)) return [];
      return outcome.creating === undefined
        ? [warning('FailedGang', 'finding or creating the Workload and PodGroup', outcome)]
        : [workloadNotCreated(job, outcome)];
    case 'CreatePods':
    case 'DeletePods':
    case 'EmitEvents':
    case 'RefuseRequest':
    case 'LookUpJob':
    case 'LookUpPods':
    case 'LookUpOrphans':
    case 'stale':
    case 'skipped':
      return [];
  }
}

/** One Event for all pods: a policy that refuses one usually refuses all. */
function ofPods(reason: string, doing: string, pods: readonly PodOutcome[]): EventOnJob[] {
  const failed = pods.flatMap((pod) => (pod.result === 'failed' && !isOwn(pod.error) ? [pod] : []));
  const [first, ...others] = failed;
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return [warning(reason, `${doing} pod ${first.name}${more}`, first)];
}

/** Upstream's words (J-8.23). */
function workloadNotCreated(job: { name: string }, { error }: { error: ApiFailure }): EventOnJob {
  const message = `Failed to create Workload for Job ${job.name}: ${error.message}`;
  return { type: 'Warning', reason: 'FailedWorkloadCreate', message };
}

/** Our own reason for sending nothing. */
function isOwn({ reason }: ApiFailure): boolean {
  return reason === 'JobDeleting' || reason === STALE || reason === NOT_CLAIMED;
}

function warning(reason: string, doing: string, { error }: { error: ApiFailure }): EventOnJob {
  return { type: 'Warning', reason, message: `Error ${doing}: ${error.message}` };
}
