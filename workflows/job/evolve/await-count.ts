import { failsIndex, isPerIndex, outlasts } from '../definitions/per-index.ts';
import { contains, hasPlace, isIndexed } from '../../batch/completion-indexes.ts';
import { isActive } from '../definitions/pod-phase.ts';
import { isFinished } from '../../batch/conditions.ts';
import type { JobFacts } from '../../batch/facts.ts';
import { failJobMessage, isIgnored } from '../definitions/failure-match.ts';
import { podRef } from '../definitions/pod-refs.ts';
import { isConsideredFailed } from '../definitions/pod-replacement.ts';
import { addUncounted, awaitedCounter, finishedIndexes, podsOfIndex, type Draft } from './draft.ts';
import type { PodState } from '../state.ts';

/** More failures do not lengthen the delay, because it reaches the maximum before the 20th doubling (J-5.40). */
const FAILURES_KEPT = 32;

/**
 * Records a finished, tracked pod, which awaits its count whatever is observed later; the first observed result stays
 * (J-4.6). `wasTracked` means that the pod was tracked when it finished, although Jobledger has released it since.
 */
export function awaitCount(draft: Draft, uid: string, wasTracked = false): void {
  const pod = draft.pods[uid];
  const job = draft.job;
  if (pod === undefined || job === null || draft.jobGone || isFinished(job.status)) return;
  if (pod.claim !== undefined || pod.excluded === true) return;
  rememberFailJob(draft, job, uid, pod);
  if (pod.untracked === true && !wasTracked) return;
  if (pod.counted === true || awaitedCounter(draft, uid) !== undefined) return;
  if (!hasPlace(job.spec, pod.index)) return;
  if (pod.phase === 'Succeeded') awaitSuccess(draft, job, uid, pod);
  else if (isConsideredFailed(job.spec, pod)) awaitFailure(draft, job, uid, pod);
  else if (isSeenActive(pod)) endDelay(draft, pod.index);
}

/** Ends the delay of a failed pod that waited for its replacement, which now awaits its count (J-5.50). */
export function endPodDelay(draft: Draft, uid: string): void {
  const index = draft.pods[uid]?.index;
  if (index !== undefined && draft.delayed[index] === uid) endDelay(draft, index);
}

/** Forgets the delay of a failed pod, because the pod has been counted. */
export function forgetDelay(draft: Draft, uid: string, { index }: PodState): void {
  if (index !== undefined && draft.delayed[index] === uid) delete draft.delayed[index];
}

/**
 * Reviews the failed pods that wait for a replacement: with a new status or spec, an index may be finished or out of
 * range, and its failed pod then no longer waits.
 */
export function reviewDelays(draft: Draft, job: JobFacts): void {
  for (const [index, uid] of Object.entries(draft.delayed)) {
    if (!hasPlace(job.spec, Number(index))) delete draft.delayed[index];
    else if (needsNoPod(draft, job, Number(index))) endPodDelay(draft, uid);
  }
}

/**
 * Remembers a pod whose failure fails the Job; the first such pod by name determines the message, so that the message
 * does not depend on the order in which pods are observed.
 */
function rememberFailJob(draft: Draft, job: JobFacts, uid: string, pod: PodState): void {
  if (pod.phase !== 'Failed') return;
  const name = `${job.namespace}/${podRef(job, uid, pod).name}`;
  const message = failJobMessage(job.spec, pod, name);
  if (message === null || (draft.failJob !== null && draft.failJob.pod < name)) return;
  draft.failJob = { pod: name, message };
}

/** Records that a succeeded pod awaits its count. */
function awaitSuccess(draft: Draft, job: JobFacts, uid: string, pod: PodState): void {
  draft.backoff.lastSuccess = Math.max(draft.backoff.lastSuccess, (pod.finished ?? 0) * 1000);
  forgetDelay(draft, uid, pod);
  // Only the first success of an index counts (J-4.12).
  if (isIndexed(job.spec) && contains(finishedIndexes(draft, job).completed, pod.index ?? -1))
    releaseUncounted(draft, uid);
  else addUncounted(draft, 'succeeded', uid);
  endDelay(draft, pod.index);
}

/** Records that a failed pod awaits its count, or waits for its replacement. */
function awaitFailure(draft: Draft, job: JobFacts, uid: string, pod: PodState): void {
  if (!isPerIndex(job.spec) || pod.index === undefined) {
    const failures = [...draft.backoff.failures, (pod.finished ?? 0) * 1000];
    draft.backoff.failures = failures.sort((a, b) => b - a).slice(0, FAILURES_KEPT);
    return awaitFailureCount(draft, uid);
  }
  const { index } = pod;
  if (failsIndex(job.spec, pod)) {
    awaitFailureCount(draft, uid);
    return endDelay(draft, index);
  }
  if (needsNoPod(draft, job, index) || hasReplacement(draft, index)) return awaitFailureCount(draft, uid);
  const before = draft.delayed[index];
  const chosen = before === undefined ? undefined : draft.pods[before];
  if (before === undefined || before === uid || chosen === undefined) draft.delayed[index] = uid;
  else if (comesAfter(uid, pod, before, chosen)) {
    endDelay(draft, index);
    draft.delayed[index] = uid;
  } else awaitFailureCount(draft, uid);
}

/**
 * True when a failed pod finished later than the pod that waits for the replacement; the UID breaks ties, so that the
 * order of observation does not change the result.
 */
function comesAfter(uid: string, pod: PodState, other: string, chosen: PodState): boolean {
  if (!outlasts(pod, chosen)) return false;
  return !outlasts(chosen, pod) || uid > other;
}

/** Records that a failed pod awaits its count, unless a rule ignores the failure. */
function awaitFailureCount(draft: Draft, uid: string): void {
  const pod = draft.pods[uid];
  if (pod === undefined || draft.job === null) return;
  if (isIgnored(draft.job.spec, pod)) releaseUncounted(draft, uid);
  else addUncounted(draft, 'failed', uid);
}

/** Marks a pod to be released without being counted. */
function releaseUncounted(draft: Draft, uid: string): void {
  const pod = draft.pods[uid];
  if (pod !== undefined) draft.pods[uid] = { ...pod, counted: true };
}

/** Ends the delay of the failed pod of an index. */
function endDelay(draft: Draft, index: number | undefined): void {
  const uid = index === undefined ? undefined : draft.delayed[index];
  if (index === undefined || uid === undefined) return;
  delete draft.delayed[index];
  awaitFailureCount(draft, uid);
}

/** True when the index is completed or failed, or when pods are no longer created for the Job. */
function needsNoPod(draft: Draft, job: JobFacts, index: number): boolean {
  const { completed, failed } = finishedIndexes(draft, job);
  return (
    job.deleting || contains(completed, index) || contains(failed, index) || awaitsIndexEnd(draft, job, index)
  );
}

/** True when a pod that awaits its count completes or fails the index. */
function awaitsIndexEnd(draft: Draft, { spec }: JobFacts, index: number): boolean {
  const { succeeded, failed } = draft.uncounted;
  // Stryker disable next-line ConditionalExpression: a shortcut with the same result
  if (succeeded.length === 0 && failed.length === 0) return false;
  return podsOfIndex(draft, index).some((uid) => {
    const pod = draft.pods[uid];
    const awaited = awaitedCounter(draft, uid);
    return awaited === 'succeeded' || (pod !== undefined && awaited === 'failed' && failsIndex(spec, pod));
  });
}

/** True when the index has an active pod; a created pod counts as a replacement only once it is observed (J-5.51). */
function hasReplacement(draft: Draft, index: number): boolean {
  return podsOfIndex(draft, index).some((uid) => {
    const pod = draft.pods[uid];
    return pod !== undefined && isSeenActive(pod);
  });
}

/** True for an active pod that was observed. */
function isSeenActive(pod: PodState): boolean {
  return isActive(pod) && pod.unseen !== true;
}
