import { isSameJson } from '../record/digest.ts';
import type { Fact, JobFacts, PodFacts } from '../facts.ts';
import { isTerminal } from '../definitions/pod-phase.ts';

/** How soon a Job's workflow must hear of a fact: `none` may wait until something else is told (J-3.2). */
export type Urgency = 'now' | 'soon' | 'none';

/**
 * Whether a fact matters to `decide`, given the fact before of the same object (absent when not known). A pure
 * function: the memory that holds `previous` may be lost at any time, then more is told than needed.
 */
export function news(previous: Fact | undefined, next: Fact): Urgency {
  switch (next.type) {
    case 'job.observed':
      return previous?.type === 'job.observed' ? newsOfJob(previous.job, next.job) : 'now';
    case 'job.deleted':
    case 'command.received':
      return 'now';
    case 'pod.observed':
      return previous?.type === 'pod.observed' ? newsOfPod(previous.pod, next.pod) : newsOfNewPod(next.pod);
    case 'pod.deleted':
      return previous?.type === 'pod.observed' && isDone(previous.pod) ? 'none' : 'soon';
  }
}

/** Spec and deletion at once, a status after the batch period (J-3.14); it may be our own, coming back. */
function newsOfJob(before: JobFacts, after: JobFacts): Urgency {
  if (before.generation !== after.generation || before.deleting !== after.deleting) return 'now';
  if (before.spec.suspend !== after.spec.suspend) return 'now';
  return isSameJson(before.status, after.status) ? 'none' : 'soon';
}

/**
 * A pod that just appeared is one that we created and count already, unless there is more to it. Of one that is done
 * the workflow may have been told nothing, when the memory of it is lost.
 */
function newsOfNewPod(pod: PodFacts): Urgency {
  const isOrdinary = pod.tracked === true && pod.controller !== undefined && pod.labels === undefined;
  const isFresh = pod.phase === 'Pending' && pod.deleting !== true && pod.ready !== true;
  // Of a per-index Job it may be the replacement that a failed pod waits for (J-5.51).
  const isReplacement = pod.failureCount !== undefined || pod.ignoredFailureCount !== undefined;
  return isOrdinary && isFresh && !isReplacement ? 'none' : 'soon';
}

function newsOfPod(before: PodFacts, after: PodFacts): Urgency {
  if (isDone(before) && isDone(after)) return 'none';
  return isSameJson(mattering(before), mattering(after)) ? 'none' : 'soon';
}

/** Finished, and no longer tracked: nothing depends on it any more. */
function isDone(pod: PodFacts): boolean {
  return isTerminal(pod.phase) && pod.tracked !== true;
}

/** What counters and limits depend on. That a pending pod now runs, or where, changes none of them. */
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
