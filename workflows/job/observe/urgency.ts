import { isSameJson } from '../definitions/digest.ts';
import type { Fact, JobFacts, PodFacts } from '../facts.ts';
import { isTerminal } from '../definitions/pod-phase.ts';

/** How soon the workflow needs a fact; `none` is sent together with the next urgent one (J-3.2). */
export type Urgency = 'now' | 'soon' | 'none';

/**
 * How urgent a fact is, compared with the previous fact of the same object. Without `previous` (the dispatcher may have
 * lost it) the result may be more urgent than necessary, never less.
 */
export function urgencyOf(previous: Fact | undefined, next: Fact): Urgency {
  // In a new epoch everything may be otherwise.
  if (previous !== undefined && previous.epoch !== next.epoch && 'epoch' in next) return 'now';
  switch (next.type) {
    case 'job.observed':
      return previous?.type === 'job.observed' ? newsOfJob(previous.job, next.job) : 'now';
    case 'job.deleted':
    case 'command.received':
    // Recorded only when something changed for the Job that waits.
    case 'awaited-job.observed':
      return 'now';
    case 'pod.observed':
      return previous?.type === 'pod.observed' ? newsOfPod(previous.pod, next.pod) : newsOfNewPod(next.pod);
    case 'pod.deleted':
      return previous?.type === 'pod.observed' && isDone(previous.pod) ? 'none' : 'soon';
  }
}

/** A new spec or a deletion at once; a status after the batch period, as it may be our own write (J-3.14). */
function newsOfJob(before: JobFacts, after: JobFacts): Urgency {
  if (before.generation !== after.generation || before.deleting !== after.deleting) return 'now';
  if (before.spec.suspend !== after.spec.suspend) return 'now';
  return isSameJson(heeded(before), heeded(after)) ? 'none' : 'soon';
}

function heeded({ status, annotations = {} }: JobFacts): unknown {
  return { status, annotations };
}

/**
 * A new pod is normally one that we created and already count. A pod that is finished and released is sent all the same,
 * because without `previous` the workflow may not know its end.
 */
function newsOfNewPod(pod: PodFacts): Urgency {
  const isFresh = pod.phase === 'Pending' && pod.deleting !== true && pod.ready !== true;
  // In a per-index Job it may be the replacement that a failed pod waits for (J-5.51).
  const isReplacement = pod.failureCount !== undefined || pod.ignoredFailureCount !== undefined;
  return isOrdinary(pod) && isFresh && !isReplacement ? 'none' : 'soon';
}

/** Tracked, and controlled: neither to be adopted nor released. */
export function isOrdinary({ tracked, controller, labels }: PodFacts): boolean {
  return tracked === true && controller !== undefined && labels === undefined;
}

function newsOfPod(before: PodFacts, after: PodFacts): Urgency {
  if (isDone(before) && isDone(after)) return 'none';
  return isSameJson(mattering(before), mattering(after)) ? 'none' : 'soon';
}

/** Finished and released: nothing depends on it any more. */
function isDone(pod: PodFacts): boolean {
  return isTerminal(pod.phase) && pod.tracked !== true;
}

/** The fields that counters and limits depend on. They do not change when a pending pod is scheduled or starts. */
function mattering({ phase, deleting, ready, tracked, controller, labels, restarts }: PodFacts): unknown {
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
