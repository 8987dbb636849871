import { isTerminal } from '../definitions/pod-phase.ts';
import type { JobFacts } from '../../batch/facts.ts';
import type { PodFacts } from '../facts.ts';
import { podOrdinal } from '../definitions/pod-names.ts';
import { podRef } from '../definitions/pod-refs.ts';
import { compareVersions } from '../../ledger/resource-version.ts';
import { endPodDelay, forgetDelay, awaitCount } from './await-count.ts';
import {
  awaitedCounter,
  forgetWritten,
  isVersion,
  noteWritten,
  putPod,
  removeUncounted,
  spendOrdinal,
  type Draft,
} from './draft.ts';
import type { JobState, PodState } from '../state.ts';
import { podClaim, podState, indexesOfPod, indexFields } from './pod-state.ts';

/** Folds an observed pod. Returns false for a repeat. */
export function foldPod(draft: Draft, pod: PodFacts): boolean {
  if (isRepeat(draft, pod)) return foldOlderEnd(draft, pod);
  const { resourceVersion, listedAt } = pod;
  markPods(draft, listedAt ?? resourceVersion, pod.uid);
  if (listedAt !== undefined) draft.versions.listed = resourceVersion;
  if (isOlderThanOurs(draft, pod)) {
    foldOlderEnd(draft, pod);
    return true;
  }
  const { [pod.uid]: written } = draft.written;
  delete draft.written[pod.uid];
  placePod(draft, pod, { isCounted: written === 'counted', wasAbsent: written === 'absent' });
  return true;
}

/**
 * True for an observation that is not newer than the folded observations. A pod from a list counts as new as the
 * list, although the version of the pod may be older than versions of other pods from the watch; the pods of one list
 * have the order of their own versions.
 */
function isRepeat({ versions }: JobState, { resourceVersion, listedAt }: PodFacts): boolean {
  if (listedAt === undefined) return compareVersions(resourceVersion, versions.pods) <= 0;
  const order = compareVersions(listedAt, versions.pods);
  return order < 0 || (order === 0 && compareVersions(resourceVersion, versions.listed) <= 0);
}

/**
 * Folds the deletion of a pod, which may still await its count. Returns false for a repeat. Pods that a list no
 * longer contains all have the version of the list, so the UID, which is never reused, identifies a repeat. The last
 * object of a deletion is ignored: when a release by Jobledger allowed the deletion, this object still has the
 * finalizer.
 */
export function foldPodGone(draft: Draft, gone: { uid: string; resourceVersion: string }): boolean {
  const known = draft.pods[gone.uid];
  const isKnown =
    (known !== undefined && known.gone !== true) ||
    draft.written[gone.uid] !== undefined ||
    draft.keptPods[gone.uid] !== undefined;
  if (!isKnown && compareVersions(gone.resourceVersion, draft.versions.pods) <= 0) return false;
  markPods(draft, gone.resourceVersion, gone.uid);
  delete draft.written[gone.uid];
  removePod(draft, gone.uid);
  return true;
}

/**
 * Puts a pod into the state, as observed or as read by a command. Does not change the highest folded version.
 * `isCounted` means that the pod was counted, although the state no longer has it. `wasAbsent` means that an answer
 * showed that the pod did not exist, before the pod was counted.
 */
export function placePod(
  draft: Draft,
  pod: PodFacts,
  { isCounted = false, wasAbsent = false }: { isCounted?: boolean; wasAbsent?: boolean } = {},
): void {
  const claim = podClaim(draft.job, pod);
  if (claim === 'other') return removePod(draft, pod.uid);
  if (pod.tracked !== true) endPodDelay(draft, pod.uid);
  const before = draft.pods[pod.uid];
  const state = podState(draft.job, pod);
  const isSettled = before === undefined && state.ordinal !== undefined && state.ordinal < draft.settledBelow;
  // Jobledger creates its pods with the finalizer, so an unknown pod without the finalizer was forgotten after its
  // count.
  const isForgotten =
    before === undefined && state.ordinal !== undefined && pod.tracked !== true && !wasAbsent;
  const isOver = before?.over === true || isForgotten;
  const counted =
    isCounted || isSettled || isOver || before?.counted === true || isListedUncounted(draft.job, pod.uid);
  if (claim !== 'ours') state.claim = claim;
  if (counted) state.counted = true;
  if (isOver) state.over = true;
  if (before?.excluded === true) state.excluded = true;
  if (before?.refused === true && pod.tracked === true) state.refused = true;
  putPod(draft, pod.uid, state);
  if (state.ordinal !== undefined) spendOrdinal(draft, state.ordinal, state.createdFor ?? state.index);
  awaitCount(draft, pod.uid);
  dropIfDone(draft, pod.uid);
}

/** Finds the ordinal of a pod that was observed before the Job; drops a pod of another namespace or owner. */
export function recognise(draft: Draft, job: JobFacts, uid: string): void {
  const seen = draft.pods[uid];
  if (seen === undefined) return;
  const { owner: of, ...pod } = seen;
  if (of !== undefined && isOfAnother(job, of)) return removePod(draft, uid);
  draft.pods[uid] = pod;
  if (pod.name === undefined) return;
  const { creation, index } = indexesOfPod(job, { name: pod.name, index: pod.index });
  const ordinal = podOrdinal(job, pod.name, creation ?? index);
  if (ordinal === null) return;
  const { name: _name, index: _index, ...rest } = pod;
  draft.pods[uid] = { ordinal, ...rest, ...indexFields({ creation, index, annotated: pod.index }) };
  spendOrdinal(draft, ordinal, creation ?? index);
}

/**
 * True when the owner of a pod is not the Job; an owner counts only in its own namespace, and the name is compared
 * before the UID (J-3.46).
 */
function isOfAnother(job: JobFacts, { namespace, controller }: NonNullable<PodState['owner']>): boolean {
  return namespace !== job.namespace || (controller !== undefined && controller !== job.name);
}

/** Removes a pod that no longer exists; keeps it as `gone` while it awaits its count. */
export function removePod(draft: Draft, uid: string): void {
  delete draft.keptPods[uid];
  endPodDelay(draft, uid);
  const pod = draft.pods[uid];
  if (pod === undefined) return;
  if (awaitedCounter(draft, uid) !== undefined) draft.pods[uid] = { ...pod, gone: true, untracked: true };
  else delete draft.pods[uid];
}

/** Marks the pods that the status on the server counts. */
export function markCounted(draft: Draft, uids: readonly string[]): void {
  removeUncounted(draft, uids);
  for (const uid of uids) {
    if (draft.written[uid] === 'absent') draft.written[uid] = 'counted';
    const pod = draft.pods[uid];
    if (pod === undefined) continue;
    forgetDelay(draft, uid, pod);
    draft.pods[uid] = { ...pod, counted: true };
    dropIfDone(draft, uid);
  }
}

/** Marks a pod from which a PATCH by Jobledger removed the finalizer. */
export function markReleased(draft: Draft, uid: string, resourceVersion: string | undefined): void {
  noteWritten(draft, uid, resourceVersion ?? 'gone');
  endPodDelay(draft, uid);
  const pod = draft.pods[uid];
  if (pod === undefined) return;
  const { refused: _refused, ...released } = pod;
  draft.pods[uid] = { ...released, untracked: true };
  dropIfDone(draft, uid);
}

/**
 * Raises the highest folded version; later facts can no longer be older than the changes by Jobledger up to this
 * version.
 */
function markPods(draft: Draft, resourceVersion: string, of: string): void {
  if (compareVersions(resourceVersion, draft.versions.pods) > 0) {
    draft.versions.pods = resourceVersion;
    draft.versions.listed = '';
  }
  forgetWritten(draft, resourceVersion, of);
}

/**
 * Folds the end of a pod that an older observation shows; returns false when the end is known. In the first case, the
 * pod had finished before the change by Jobledger: its end counts, and the change remains. In the second case, the
 * watch had missed the end, which was read again after newer versions of other pods: no pod leaves a terminal phase,
 * so the observation is not a repeat.
 */
function foldOlderEnd(draft: Draft, pod: PodFacts): boolean {
  const known = draft.pods[pod.uid];
  if (known === undefined || !isTerminal(pod.phase) || isTerminal(known.phase)) return false;
  const { ready: _ready, unseen: _unseen, readAt: _readAt, ...rest } = known;
  const { finished, exits, conditions } = podState(draft.job, pod);
  draft.pods[pod.uid] = {
    ...rest,
    phase: pod.phase,
    ...(finished !== undefined && { finished }),
    ...(exits !== undefined && { exits }),
    ...(conditions !== undefined && { conditions }),
  };
  awaitCount(draft, pod.uid, pod.tracked === true);
  // A release by another client has the same effect as a release by Jobledger: nothing keeps a released pod until its
  // replacement exists.
  if (known.untracked === true) endPodDelay(draft, pod.uid);
  dropIfDone(draft, pod.uid);
  return true;
}

/** True for an observation from before a change of the pod by Jobledger. */
function isOlderThanOurs(draft: Draft, { uid, resourceVersion, tracked }: PodFacts): boolean {
  const written = draft.written[uid];
  if (written === undefined || !isVersion(written)) return written === 'gone';
  const order = compareVersions(resourceVersion, written);
  if (order !== 0 || tracked !== true) return order < 0;
  // The response to a release that completes a deletion has the previous version, which still has the finalizer.
  const known = draft.pods[uid];
  return known === undefined || known.untracked === true;
}

/**
 * True when the built-in controller listed the pod in `uncountedTerminatedPods` before Jobledger took over (J-4.3).
 */
function isListedUncounted(job: JobFacts | null, uid: string): boolean {
  const lists = job?.status.uncountedTerminatedPods;
  return lists?.succeeded?.includes(uid) === true || lists?.failed?.includes(uid) === true;
}

/** Forgets a pod that is finished, released and counted. A pod that must still be adopted is kept. */
function dropIfDone(draft: Draft, uid: string): void {
  const pod = draft.pods[uid];
  if (
    pod === undefined ||
    pod.untracked !== true ||
    pod.claim === 'adopt' ||
    awaitedCounter(draft, uid) !== undefined
  )
    return;
  if (pod.gone !== true && !isTerminal(pod.phase)) return;
  keepFailed(draft, uid, pod);
  delete draft.pods[uid];
}

/**
 * Keeps a failed pod in the list of pods on which nothing else depends any more, if the Job has a limit of failed
 * pods (J-12.5).
 */
function keepFailed({ job, jobGone, keptPods }: Draft, uid: string, pod: PodState): void {
  delete keptPods[uid];
  if (job?.annotations?.failedPodsLimit === undefined || jobGone) return;
  if (pod.phase !== 'Failed' || pod.gone === true || pod.deleting === true || pod.claim !== undefined) return;
  keptPods[uid] = { name: podRef(job, uid, pod).name, finished: pod.finished ?? pod.created };
}
