import type { Command, EmitEvents } from '../../../workflows/job/commands.ts';
import type { ApiFailure } from '../../../workflows/decision/api-failure.ts';
import type { CreationOutcome, Outcome, PodOutcome } from '../../../workflows/job/outcomes.ts';

/** A Kubernetes Event on a Job, without its instant. */
export type EventOnJob = EmitEvents['events'][number];

type WithoutInstant<A> = A extends Outcome ? Omit<A, 'at'> : never;
type AnyOutcome = WithoutInstant<Outcome>;

/** The reason of a failure other than a refusal by the server. */
export const STALE = 'Stale';

/** The reason of a failure of a command for a Job of another controller, for which no request was sent. */
export const NOT_CLAIMED = 'NotClaimed';

/**
 * The Events that the worker creates on the Job with a command and its outcome; only `EmitEvents` needs the command.
 * Events of a new Workload or PodGroup are left out, because the outcome does not show whether the object was new.
 */
export function eventsOnJob(
  job: { name: string },
  command: Command | null,
  outcome: AnyOutcome,
): EventOnJob[] {
  if (outcome.kind === 'EmitEvents') return command?.kind === 'EmitEvents' ? command.events : [];
  if (outcome.kind === 'CreatePods') return outcome.pods.flatMap(eventsOfCreation);
  if (outcome.kind === 'DeletePods') return outcome.pods.flatMap(eventsOfDeletion);
  return refusalEvents(job, outcome);
}

/** The Events of a creation by J-7.2; no Event is sent while the namespace is being terminated (J-5.19). */
export function eventsOfCreation(outcome: CreationOutcome): EventOnJob[] {
  if (outcome.result === 'created')
    return [{ type: 'Normal', reason: 'SuccessfulCreate', message: `Created pod: ${outcome.name}` }];
  if (outcome.result !== 'failed' || isNotWorthAnEvent(outcome.error)) return [];
  return [{ type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${outcome.error.message}` }];
}

/** True for failures that upstream does not report, such as a creation in a namespace that is being terminated. */
function isNotWorthAnEvent({ status, message, reason }: ApiFailure): boolean {
  return (
    reason === 'JobDeleting' ||
    reason === STALE ||
    (status === 403 && message.includes('because it is being terminated'))
  );
}

/** The Events of a deletion by J-7.2. */
export function eventsOfDeletion(outcome: PodOutcome): EventOnJob[] {
  switch (outcome.result) {
    case 'done':
      return [{ type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted pod: ${outcome.name}` }];
    case 'failed':
      if (outcome.error.reason === STALE) return [];
      return [
        { type: 'Warning', reason: 'FailedDelete', message: `Error deleting: ${outcome.error.message}` },
      ];
    case 'gone':
      return [];
  }
}

/**
 * Warnings on the Job about changes that the cluster refuses, with the refusing policy and the reason. For creations
 * and deletions of pods, the Events of upstream exist (J-7.2); upstream has no Events for other changes.
 */
export function refusalEvents(job: { name: string }, outcome: AnyOutcome): EventOnJob[] {
  switch (outcome.kind) {
    case 'ReleasePods':
      return eventOfPods('FailedRelease', 'removing the finalizer of', outcome.pods);
    case 'AdoptPods':
      return eventOfPods('FailedAdopt', 'adopting', outcome.pods);
    case 'DisownPods':
      return eventOfPods('FailedDisown', 'disowning', outcome.pods);
    case 'WriteStatus':
      return outcome.result === 'failed' && !isOwnRefusal(outcome.error)
        ? [warningEvent('FailedStatusUpdate', 'writing the status', outcome)]
        : [];
    case 'SetSuspend':
      return outcome.result === 'failed' && !isOwnRefusal(outcome.error)
        ? [warningEvent('FailedSuspend', 'changing spec.suspend', outcome)]
        : [];
    case 'DeleteJob':
      return outcome.result === 'failed' ? [warningEvent('FailedDelete', 'deleting the Job', outcome)] : [];
    case 'EnsureGang':
      if (outcome.result !== 'failed' || isOwnRefusal(outcome.error)) return [];
      return outcome.creating === undefined
        ? [warningEvent('FailedGang', 'finding or creating the Workload and PodGroup', outcome)]
        : [workloadNotCreatedEvent(job, outcome)];
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

/** One Event about all failed pods, because a policy that refuses one pod usually refuses all pods. */
function eventOfPods(reason: string, action: string, pods: readonly PodOutcome[]): EventOnJob[] {
  const failed = pods.flatMap((pod) => (pod.result === 'failed' && !isOwnRefusal(pod.error) ? [pod] : []));
  const [first, ...others] = failed;
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return [warningEvent(reason, `${action} pod ${first.name}${more}`, first)];
}

/** The Event has upstream's words (J-8.23). */
function workloadNotCreatedEvent(job: { name: string }, { error }: { error: ApiFailure }): EventOnJob {
  const message = `Failed to create Workload for Job ${job.name}: ${error.message}`;
  return { type: 'Warning', reason: 'FailedWorkloadCreate', message };
}

/** True when Jobledger itself decided not to send a request. */
function isOwnRefusal({ reason }: ApiFailure): boolean {
  return reason === 'JobDeleting' || reason === STALE || reason === NOT_CLAIMED;
}

function warningEvent(reason: string, action: string, { error }: { error: ApiFailure }): EventOnJob {
  return { type: 'Warning', reason, message: `Error ${action}: ${error.message}` };
}
