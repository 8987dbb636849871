import type { Outcome, CreationOutcome, PodOutcome } from '../outcomes.ts';
import type { OutcomeRecorded } from '../events.ts';
import type { PodFacts } from '../facts.ts';
import { isTerminal } from '../definitions/pod-phase.ts';
import { foldJob, foldJobAbsent } from './evolve-job.ts';
import { endChain } from './evolve-chain.ts';
import { awaitCount } from './await-count.ts';
import { placePod, removePod, markCounted, markReleased } from './evolve-pod.ts';
import { noteWritten, putPod, spendIndexOrdinal, type Draft } from './draft.ts';
import { compareVersions } from '../../ledger/resource-version.ts';
import { decidedAt } from '../../decision/retry.ts';
import { foldRetries } from './evolve-retries.ts';

/** Folds the outcome of a command of the last decision. */
export function foldOutcome(draft: Draft, { command, outcome }: OutcomeRecorded['data']): void {
  if (draft.decidedIn === draft.epoch) {
    const before = draft.versions.job;
    foldEffect(draft, command, outcome);
    const isJobNewer = draft.versions.job !== before;
    foldRetries({ draft, command: draft.pending[command], outcome, isJobNewer });
  } else foldOfEarlierEpoch(draft, command, outcome);
  if (command === draft.pending.length - 1) draft.pending = [];
}

/**
 * Folds an outcome of a decision from before a restore of the API server: its earlier answers may be undone, and its
 * versions cannot be compared with the present versions. The effects of answers after the restore are observed. A
 * name that may have been used is not used again.
 */
function foldOfEarlierEpoch(draft: Draft, command: number, outcome: Outcome): void {
  if (outcome.kind === 'RefuseRequest') return foldEffect(draft, command, outcome);
  if (outcome.kind !== 'CreatePods') return;
  for (const pod of outcome.pods) {
    const { pod: _read, ...created } = 'pod' in pod ? pod : { ...pod, pod: undefined };
    foldCreation(draft, created, indexAt(draft, command, pod.name));
  }
}

/** Folds the effect of a command on the state. */
function foldEffect(draft: Draft, command: number, outcome: Outcome): void {
  switch (outcome.kind) {
    case 'CreatePods':
      for (const pod of outcome.pods) foldCreation(draft, pod, indexAt(draft, command, pod.name));
      if (outcome.jobGone === true) foldJobAbsent(draft);
      return;
    case 'DeletePods':
      for (const pod of outcome.pods) foldDeletion(draft, pod, outcome.untrack);
      return;
    case 'ReleasePods':
      for (const pod of outcome.pods) foldRelease(draft, pod);
      return;
    case 'AdoptPods':
      for (const pod of outcome.pods) foldAdoption(draft, pod);
      return;
    case 'DisownPods':
      for (const pod of outcome.pods) foldDisowning(draft, pod);
      return;
    case 'WriteStatus':
      return foldStatus(draft, command, outcome);
    case 'SetSuspend':
      if (outcome.result === 'done') foldJob(draft, outcome.job);
      if (outcome.result !== 'failed')
        draft.requests = draft.requests.filter((request) => request.id !== outcome.request);
      if (outcome.result === 'gone' && outcome.request === undefined) endChain(draft);
      return;
    case 'RefuseRequest':
      draft.requests = draft.requests.filter((request) => request.id !== outcome.request);
      return;
    case 'LookUpJob':
      if (outcome.job === null) foldJobAbsent(draft);
      else foldJob(draft, outcome.job);
      return;
    case 'LookUpPods':
      for (const { uid, pod } of outcome.pods) {
        if (pod === null) removePod(draft, uid);
        else if (!hasEnded(pod)) placeRead(draft, pod);
        else lookAgainLater(draft, uid);
      }
      return;
    case 'DeleteJob':
      if (outcome.result === 'gone') foldJobAbsent(draft);
      else if (outcome.result !== 'failed') foldJob(draft, outcome.job);
      return;
    case 'LookUpOrphans':
      if (outcome.result === 'failed') return;
      return foldOrphanLookUp(draft, command, outcome);
    case 'EnsureGang':
      if (outcome.result === 'done') draft.gang = outcome.gang;
      if (outcome.result === 'gone') foldJobAbsent(draft);
      return;
    case 'stale':
      if (outcome.job === null) foldJobAbsent(draft);
      else foldJob(draft, outcome.job);
      return;
    case 'EmitEvents':
    case 'skipped':
      return;
  }
}

/**
 * Folds the creation of a pod: a created pod is active before it is observed, and every ordinal that may have been
 * used is spent.
 */
function foldCreation(draft: Draft, pod: CreationOutcome, index: number | undefined): void {
  if (pod.result === 'failed' || pod.result === 'skipped') return;
  if (index !== undefined) spendIndexOrdinal(draft, index, pod.ordinal);
  draft.nextOrdinal = Math.max(draft.nextOrdinal, pod.ordinal + 1);
  if (pod.result === 'taken' || draft.pods[pod.uid] !== undefined || draft.written[pod.uid] !== undefined)
    return;
  if (pod.pod !== undefined && isSettled(pod.pod)) return;
  if (pod.pod !== undefined && !hasEnded(pod.pod)) return placeRead(draft, pod.pod);
  putPod(draft, pod.uid, {
    ordinal: pod.ordinal,
    created: Math.floor(decidedAt(draft) / 1000),
    phase: 'Pending',
    unscheduled: true,
    unseen: true,
    ...(index !== undefined && { index }),
  });
}

/**
 * True for a pod that has ended or is being deleted. Only an observation, which stays in the ledger, shows the end of
 * a pod. An outcome is lost if its decision is superseded, and the pod may by then be released, so the pod counts as
 * active until it is observed.
 */
function hasEnded({ phase, deleting }: PodFacts): boolean {
  return isTerminal(phase) || deleting === true;
}

/** True for a pod that had ended and was released before this outcome; nothing depends on such a pod any more. */
function isSettled(pod: PodFacts): boolean {
  return hasEnded(pod) && pod.tracked !== true;
}

/** Folds a list of orphans. */
function foldOrphanLookUp(
  draft: Draft,
  command: number,
  { orphans, more }: Extract<Outcome, { kind: 'LookUpOrphans'; result: 'done' }>,
): void {
  foldOrphans(draft, orphans);
  draft.orphansFound = !more;
  const asked = draft.pending[command];
  if (asked?.kind !== 'LookUpOrphans' || asked.own === undefined) return;
  if (more) draft.listedTo = orphans.at(-1)?.name ?? asked.own.after;
  else delete draft.listedTo;
}

/**
 * Puts orphans and pods of the Job from a list into the state. A finished pod is folded as a running pod, because its
 * observation shows its end; for an orphan, this observation follows its adoption. A pod of the Job that was released
 * before gets no further observation.
 */
function foldOrphans(draft: Draft, orphans: readonly PodFacts[]): void {
  for (const pod of orphans) {
    const isOver = isTerminal(pod.phase) && pod.tracked !== true && pod.controller !== undefined;
    if (isOver || draft.pods[pod.uid] !== undefined) continue;
    placeRead(draft, isTerminal(pod.phase) ? { ...pod, phase: 'Running' } : pod);
  }
}

/** Notes that an unobserved pod was read, so that it is read again later. */
function lookAgainLater(draft: Draft, uid: string): void {
  const pod = draft.pods[uid];
  if (pod === undefined) return;
  const now = Math.floor(decidedAt(draft) / 1000);
  draft.pods[uid] = { ...pod, ...(pod.readAt === undefined ? { created: now } : { readAt: now }) };
}

/**
 * Puts a pod that a command has read into the state. A read may be newer than the watch, and older facts that arrive
 * later must not undo the read. While the pod is not observed, it is possible that no watch will report its end, so
 * the pod will be read again.
 */
function placeRead(draft: Draft, pod: PodFacts): void {
  const before = draft.pods[pod.uid];
  const isObserved = before !== undefined && before.unseen !== true && before.readAt === undefined;
  placePod(draft, pod);
  noteWritten(draft, pod.uid, pod.resourceVersion);
  const placed = draft.pods[pod.uid];
  if (placed !== undefined && !isObserved)
    draft.pods[pod.uid] = { ...placed, readAt: Math.floor(decidedAt(draft) / 1000) };
}

/** The index for which a command created the pod with this name. */
function indexAt(draft: Draft, command: number, name: string): number | undefined {
  const asked = draft.pending[command];
  return asked?.kind === 'CreatePods' ? asked.pods.find((pod) => pod.name === name)?.index : undefined;
}

/** Folds the outcome of the deletion of a pod. */
function foldDeletion(draft: Draft, pod: PodOutcome, untracked: boolean): void {
  if (pod.result === 'failed') return;
  delete draft.keptPods[pod.uid];
  if (pod.result === 'gone') return foldVanished(draft, pod.uid);
  if (untracked) markReleased(draft, pod.uid, pod.resourceVersion);
  else if (pod.resourceVersion !== undefined) noteWritten(draft, pod.uid, pod.resourceVersion);
  const known = draft.pods[pod.uid];
  if (known !== undefined) draft.pods[pod.uid] = { ...known, deleting: true };
}

/** Folds the outcome of the release of a pod. */
function foldRelease(draft: Draft, pod: PodOutcome): void {
  if (pod.result === 'done') return markReleased(draft, pod.uid, pod.resourceVersion);
  if (pod.result === 'gone') return foldVanished(draft, pod.uid);
  const known = draft.pods[pod.uid];
  if (known !== undefined) draft.pods[pod.uid] = { ...known, refused: true };
}

/** Folds the adoption of a pod, which is then tracked, and awaits its count if it has finished (J-3.32). */
function foldAdoption(draft: Draft, outcome: PodOutcome): void {
  const pod = draft.pods[outcome.uid];
  if (pod === undefined || outcome.result === 'failed') return;
  if (outcome.result === 'gone') return foldVanished(draft, outcome.uid);
  const { claim: _claim, untracked: _untracked, ...adopted } = pod;
  draft.pods[outcome.uid] = adopted;
  if (outcome.resourceVersion !== undefined) noteWritten(draft, outcome.uid, outcome.resourceVersion);
  awaitCount(draft, outcome.uid);
}

/** Folds the disowning of a pod, which then counts neither as succeeded nor as failed (J-3.33). */
function foldDisowning(draft: Draft, outcome: PodOutcome): void {
  if (outcome.result === 'failed') return;
  if (outcome.result === 'done' && outcome.resourceVersion !== undefined)
    noteWritten(draft, outcome.uid, outcome.resourceVersion);
  markCounted(draft, [outcome.uid]);
  delete draft.pods[outcome.uid];
}

/** Folds an answer that a known pod does not exist. */
function foldVanished(draft: Draft, uid: string): void {
  const pod = draft.pods[uid];
  if (pod === undefined || pod.gone === true) return;
  noteWritten(draft, uid, pod.counted === true || pod.excluded === true ? 'counted' : 'absent');
  removePod(draft, uid);
}

/** Folds the outcome of a status write. */
function foldStatus(draft: Draft, command: number, outcome: Extract<Outcome, { kind: 'WriteStatus' }>): void {
  if (outcome.result === 'conflict') return void foldJob(draft, outcome.job);
  if (outcome.result === 'gone') return foldJobAbsent(draft);
  const asked = draft.pending[command];
  if (outcome.result !== 'written' || asked?.kind !== 'WriteStatus' || draft.job === null) return;
  markCounted(draft, [...asked.counted.succeeded, ...asked.counted.failed]);
  if (compareVersions(outcome.job.resourceVersion, draft.versions.job) <= 0) return;
  // The counters come from this write, so no pod must be attributed to a lost write.
  draft.job = { ...draft.job, status: asked.to };
  foldJob(draft, outcome.job);
}
