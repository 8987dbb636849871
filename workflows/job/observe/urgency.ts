import type { Urgency } from '../../decision/urgency.ts';
import { isSameJson } from '../../ledger/digest.ts';
import type { Fact, PodFacts } from '../facts.ts';
import type { JobFacts } from '../../batch/facts.ts';
import { isTerminal } from '../definitions/pod-phase.ts';

/**
 * The urgency of a fact, compared with the previous fact of the same object. Without `previous`, which the dispatcher
 * may have lost, the result may be more urgent than necessary, but never less urgent.
 */
export function jobUrgency(previous: Fact | undefined, next: Fact): Urgency {
  // In a new epoch every field may differ.
  if (previous !== undefined && previous.epoch !== next.epoch && 'epoch' in next) return 'now';
  switch (next.type) {
    case 'job.observed':
      return previous?.type === 'job.observed' ? newsOfJob(previous.job, next.job) : 'now';
    case 'job.deleted':
    case 'request.received':
    // The event is recorded only when something has changed for the waiting Job.
    case 'awaited-job.observed':
      return 'now';
    case 'pod.observed':
      if (!isNewsOfPod(previous?.type === 'pod.observed' ? previous.pod : undefined, next.pod)) return 'none';
      return isRunning(next.pod) ? 'later' : 'soon';
    case 'pod.deleted':
      return previous?.type === 'pod.observed' && isDone(previous.pod) ? 'none' : 'soon';
  }
}

/**
 * The urgency of a change of the Job: a new spec or a deletion is sent at once; a status is sent later, because
 * Jobledger may have written it (J-3.14).
 */
function newsOfJob(before: JobFacts, after: JobFacts): Urgency {
  if (before.generation !== after.generation || before.deleting !== after.deleting) return 'now';
  if (before.spec.suspend !== after.spec.suspend) return 'now';
  if (!isSameJson(before.annotations?.indexes, after.annotations?.indexes)) return 'now';
  return isSameJson(decisiveFields(before), decisiveFields(after)) ? 'none' : 'later';
}

/** The fields of a Job on which decisions depend, besides its spec. */
function decisiveFields({ status, annotations = {} }: JobFacts): unknown {
  return { status, annotations };
}

/** True when the run needs a new observation of a pod. */
function isNewsOfPod(before: PodFacts | undefined, after: PodFacts): boolean {
  if (before === undefined) return isNewsOfNewPod(after);
  return !(isDone(before) && isDone(after)) && !isSameJson(relevantFields(before), relevantFields(after));
}

/**
 * True when the run needs the first observation of a pod, which is normally a pod that Jobledger created and already
 * counts. A finished and released pod is still sent, because without `previous` the workflow may not know its end.
 */
function isNewsOfNewPod(pod: PodFacts): boolean {
  const isFresh = pod.phase === 'Pending' && pod.deleting !== true && pod.ready !== true;
  // In a Job with a back-off limit per index, the pod may be the replacement for which a failed pod waits (J-5.51).
  const isReplacement = pod.failureCount !== undefined || pod.ignoredFailureCount !== undefined;
  return !isOrdinary(pod) || !isFresh || isReplacement;
}

/**
 * True for a pod that is counted as active in both observations; only its readiness and its restarts may have
 * changed. A short-lived pod ends within the batch period.
 */
function isRunning(pod: PodFacts): boolean {
  return isOrdinary(pod) && pod.phase === 'Running' && pod.deleting !== true;
}

/** True when the pod is tracked and controlled, so that it is neither adopted nor released. */
function isOrdinary({ tracked, controller, labels }: PodFacts): boolean {
  return tracked === true && controller !== undefined && labels === undefined;
}

/** True when the pod is finished and released, and nothing depends on it any more. */
function isDone(pod: PodFacts): boolean {
  return isTerminal(pod.phase) && pod.tracked !== true;
}

/**
 * The fields on which counters and limits depend. These fields do not change when a pending pod is scheduled or
 * starts.
 */
function relevantFields({
  phase,
  deleting,
  ready,
  tracked,
  controller,
  labels,
  restarts,
}: PodFacts): unknown {
  return {
    phase: isTerminal(phase) ? phase : 'live',
    deleting,
    ready,
    tracked: isTerminal(phase) ? true : tracked,
    controller,
    labels,
    restarts,
  };
}
