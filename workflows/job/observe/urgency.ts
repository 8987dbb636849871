import { isSameJson } from '../definitions/digest.ts';
import type { Fact, JobFacts, PodFacts } from '../facts.ts';
import { isTerminal } from '../definitions/pod-phase.ts';

/**
 * The urgency of a fact for a run (J-3.2): `soon` at once after a pause, then in batches; `later` in a batch; `none`
 * together with the next fact that it needs.
 */
export type Urgency = 'now' | 'soon' | 'later' | 'none';

/**
 * The urgency of a fact, compared with the previous fact of the same object. Without `previous` (the dispatcher may
 * have lost it) the result may be more urgent than necessary, never less.
 */
export function jobUrgency(previous: Fact | undefined, next: Fact): Urgency {
  // In a new epoch every field may differ.
  if (previous !== undefined && previous.epoch !== next.epoch && 'epoch' in next) return 'now';
  switch (next.type) {
    case 'job.observed':
      return previous?.type === 'job.observed' ? newsOfJob(previous.job, next.job) : 'now';
    case 'job.deleted':
    case 'request.received':
    // Recorded only when something changed for the Job that waits.
    case 'awaited-job.observed':
      return 'now';
    case 'pod.observed':
      if (!isNewsOfPod(previous?.type === 'pod.observed' ? previous.pod : undefined, next.pod)) return 'none';
      return isRunning(next.pod) ? 'later' : 'soon';
    case 'pod.deleted':
      return previous?.type === 'pod.observed' && isDone(previous.pod) ? 'none' : 'soon';
  }
}

/** A new spec or a deletion at once; a status later, as it may be our own write (J-3.14). */
function newsOfJob(before: JobFacts, after: JobFacts): Urgency {
  if (before.generation !== after.generation || before.deleting !== after.deleting) return 'now';
  if (before.spec.suspend !== after.spec.suspend) return 'now';
  if (!isSameJson(before.annotations?.indexes, after.annotations?.indexes)) return 'now';
  return isSameJson(decisiveFields(before), decisiveFields(after)) ? 'none' : 'later';
}

function decisiveFields({ status, annotations = {} }: JobFacts): unknown {
  return { status, annotations };
}

function isNewsOfPod(before: PodFacts | undefined, after: PodFacts): boolean {
  if (before === undefined) return isNewsOfNewPod(after);
  return !(isDone(before) && isDone(after)) && !isSameJson(relevantFields(before), relevantFields(after));
}

/**
 * A new pod is normally a pod that we created and already count. A finished and released pod is still sent, because
 * without `previous` the workflow may not know its end.
 */
function isNewsOfNewPod(pod: PodFacts): boolean {
  const isFresh = pod.phase === 'Pending' && pod.deleting !== true && pod.ready !== true;
  // In a per-index Job it may be the replacement for which a failed pod waits (J-5.51).
  const isReplacement = pod.failureCount !== undefined || pod.ignoredFailureCount !== undefined;
  return !isOrdinary(pod) || !isFresh || isReplacement;
}

/**
 * A pod that is counted as active, before and after: at most its readiness and its restarts have changed. A short one
 * ends within the batch period.
 */
function isRunning(pod: PodFacts): boolean {
  return isOrdinary(pod) && pod.phase === 'Running' && pod.deleting !== true;
}

/** The pod is tracked and controlled, so it is neither adopted nor released. */
function isOrdinary({ tracked, controller, labels }: PodFacts): boolean {
  return tracked === true && controller !== undefined && labels === undefined;
}

/** The pod is finished and released, and nothing depends on it any more. */
function isDone(pod: PodFacts): boolean {
  return isTerminal(pod.phase) && pod.tracked !== true;
}

/**
 * The fields that counters and limits depend on. These fields do not change when a pending pod is scheduled or starts.
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
