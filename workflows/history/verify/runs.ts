import type { OutcomeRecorded, JobEvent, JobObserved, PodDeleted, PodObserved } from '../../job/events.ts';
import { isFinished } from '../../batch/conditions.ts';
import { indexOfName } from '../../job/definitions/pod-names.ts';
import { compareVersions } from '../../ledger/resource-version.ts';
import { podFacts } from '../../job/observe/compact.ts';
import { plainNumbers } from '../../ledger/plain-numbers.ts';
import { isTerminal } from '../../job/definitions/pod-phase.ts';
import type { PodFacts } from '../../job/facts.ts';
import type { Finding } from './finding.ts';

/**
 * The pods that ran for a Job, as far as the checks need them. The versions of the Jobs and pods of a cluster have
 * one order.
 */
export interface Runs {
  epoch: number;
  /** The highest version of the Job's pods that a watch has shown. */
  mark: string;
  /** The pods that Jobledger created for an index and that are active according to the records, by UID. */
  active: Map<string, Run>;
  /** The UIDs of these pods by index, so that a pod is compared only within its index. */
  byIndex: Map<number, Set<string>>;
  /** The first version of the finished Job; null before the Job has finished. */
  ended: string | null;
  /** The latest creation by its version. */
  lastCreated: { event: string; name: string; version: string } | null;
}

interface Run {
  name: string;
  index: number;
  /**
   * Another pod of the index that was observed while this pod was active, with its creation in milliseconds. The
   * watch may have missed the end of this pod.
   */
  rival?: { name: string; createdAt: number };
}

/** The memory of the pods that ran for a Job, before its first event. */
export function noRuns(): Runs {
  return { epoch: 0, mark: '', active: new Map(), byIndex: new Map(), ended: null, lastCreated: null };
}

/**
 * Follows the pods that ran for a Job. Finds a pod that was created after the end of the Job, and an index that ran
 * in two pods of Jobledger at the same time; no decision should lead to either case.
 */
export function followRuns(runs: Runs, event: JobEvent): Finding[] {
  switch (event.type) {
    case 'job.observed':
      return enterEpoch(runs, event) ? readObservedJob(runs, event) : [];
    case 'pod.observed':
      return enterEpoch(runs, event) ? readObservedPod(runs, event) : [];
    case 'pod.deleted':
      if (enterEpoch(runs, event)) forgetPod(runs, event.data.podUid);
      return [];
    case 'outcome.recorded':
      return readOutcome(runs, event);
    case 'job.deleted':
    case 'awaited-job.observed':
    case 'request.received':
    case 'submission.received':
    case 'job.submitted':
    case 'api-request.audited':
    case 'kubernetes-event.observed':
    case 'job.detached':
    case 'job.decided':
    case 'job.folded':
    case 'job.snapshotted':
    case 'cluster.connected':
    case 'cluster.gap':
    case 'kubernetes-events.dropped':
    case 'cluster.restored':
    case 'cluster.detached':
    case 'prices.applied':
    case 'node.observed':
    case 'node.deleted':
      return [];
  }
}

/**
 * Begins the epoch of an event; returns false for an event of an earlier epoch, because events of earlier epochs are
 * not compared.
 */
function enterEpoch(runs: Runs, { data }: JobObserved | PodObserved | PodDeleted): boolean {
  const { epoch = 0 } = data;
  if (epoch > runs.epoch) Object.assign(runs, noRuns(), { epoch });
  return epoch === runs.epoch;
}

/** Records the end of the Job if an observation shows it. */
function readObservedJob(runs: Runs, { data: { object } }: JobObserved): Finding[] {
  if (!isFinished(object.status ?? {})) return [];
  return noteEnd(runs, object.metadata.resourceVersion);
}

/** Records the version with which the Job ended, and finds a pod that was created after that end. */
function noteEnd(runs: Runs, version: string): Finding[] {
  if (runs.ended !== null && compareVersions(runs.ended, version) <= 0) return [];
  runs.ended = version;
  return findLateCreation(runs, runs.lastCreated);
}

/** Reads the outcome of a command: the end of the Job, or the creation of pods. */
function readOutcome(runs: Runs, { id, data: { outcome } }: OutcomeRecorded): Finding[] {
  if (outcome.kind === 'WriteStatus' && outcome.result === 'written')
    return isFinished(outcome.job.status) ? noteEnd(runs, outcome.job.resourceVersion) : [];
  if (outcome.kind !== 'CreatePods') return [];
  return outcome.pods.flatMap((pod) => {
    // For a pod that already existed, the version of its creation is unknown.
    if (pod.result !== 'created' || pod.pod !== undefined) return [];
    const creation = { event: id, name: pod.name, version: pod.resourceVersion };
    if (compareVersions(creation.version, runs.lastCreated?.version ?? '') > 0) runs.lastCreated = creation;
    return findLateCreation(runs, creation);
  });
}

/** The finding for a pod that was created after its Job had ended; empty without such a pod. */
function findLateCreation({ ended: end }: Runs, creation: Runs['lastCreated']): Finding[] {
  if (end === null || creation === null || compareVersions(creation.version, end) <= 0) return [];
  const { event, name, version } = creation;
  const message = `pod ${name} was created after its Job had ended`;
  return [
    { type: 'wrong', event, message, context: [`version of the pod: ${version}`, `of the end: ${end}`] },
  ];
}

/** Reads an observed pod, and finds a second run of its index or a creation after the end of the Job. */
function readObservedPod(runs: Runs, event: PodObserved): Finding[] {
  const { object, listedAt } = event.data;
  const pod = podFacts(object);
  if (listedAt === undefined) {
    if (compareVersions(pod.resourceVersion, runs.mark) <= 0) return [];
    runs.mark = pod.resourceVersion;
  }
  const index = podIndex(event, pod);
  if (index === undefined) return [];
  const known = runs.active.get(pod.uid);
  const findings = known?.rival === undefined ? [] : findSecondRun(event, pod, known, known.rival);
  if (isTerminal(pod.phase) || pod.deleting === true) {
    forgetPod(runs, pod.uid);
    return findings;
  }
  runs.active.set(pod.uid, { name: pod.name, index });
  if (known === undefined) noteRival(runs, pod, index);
  return findings;
}

/** Forgets a pod that is not active any more. */
function forgetPod({ active, byIndex }: Runs, uid: string): void {
  const index = active.get(uid)?.index;
  active.delete(uid);
  if (index === undefined) return;
  const uids = byIndex.get(index);
  uids?.delete(uid);
  if (uids?.size === 0) byIndex.delete(index);
}

/** Records a pod as another run of its index for all active pods of the index. */
function noteRival({ active, byIndex }: Runs, { uid, name, createdAt }: PodFacts, index: number): void {
  const uids = byIndex.get(index) ?? new Set<string>();
  for (const other of uids) {
    const run = active.get(other);
    if (run !== undefined) active.set(other, { ...run, rival: { name, createdAt } });
  }
  byIndex.set(index, uids.add(uid));
}

/**
 * The index for which Jobledger created the pod, and which its containers run; another client may have changed the
 * index in the annotation (J-0.4). The result is undefined when the name of the pod was not made by Jobledger: an
 * adopted pod may share the index of another pod.
 */
function podIndex({ data: { jobUid } }: PodObserved, pod: PodFacts): number | undefined {
  if (pod.controller !== jobUid) return undefined;
  return indexOfName({ uid: jobUid, name: pod.controllerName ?? '' }, pod.name);
}

/** The API cuts times to whole seconds. */
const ROUNDING_MS = 2000;

/**
 * The finding that two pods of an index ran at the same time, because one was observed again after the other; empty
 * if it had ended before.
 */
function findSecondRun(
  { id, data: { object } }: PodObserved,
  pod: PodFacts,
  { index }: Run,
  other: NonNullable<Run['rival']>,
): Finding[] {
  const { deletionTimestamp, deletionGracePeriodSeconds: grace = 0 } = object.metadata;
  const deletion =
    deletionTimestamp === undefined ? null : Date.parse(deletionTimestamp) - plainNumbers(grace) * 1000;
  const end = deletion ?? (isTerminal(pod.phase) ? (pod.finishedAt ?? 0) : Infinity);
  if (end <= other.createdAt + ROUNDING_MS) return [];
  const message = `index ${index} ran twice at once: in pod ${pod.name} and in pod ${other.name}`;
  return [{ type: 'wrong', event: id, message, context: [] }];
}
