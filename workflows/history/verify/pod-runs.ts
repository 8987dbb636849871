import { isTerminal } from '../../job/definitions/pod-phase.ts';
import { terminalCondition } from '../../job/definitions/conditions.ts';
import { compareVersions } from '../../job/definitions/resource-version.ts';
import type { JobEvent, JobObserved, PodObserved } from '../../job/events.ts';
import type { PodFacts } from '../../job/facts.ts';
import { podFacts } from '../../job/observe/compact.ts';
import { isOfCronJob, type LedgerEvent } from '../../ledger-event.ts';
import type { Finding } from './finding.ts';

/** What the facts of a Job show of its end, and of the pods of its indexes: plain values. */
export interface PodRuns {
  /** The version in which the Job was first seen ended, and when it ended, in milliseconds. */
  end: { version: string; at: number } | null;
  /** Pods that were seen, by index: with the version in which each was seen first. Without those that ended or are deleted. */
  active: Map<number, Map<string, string>>;
  /** The pod that succeeded, by index. */
  succeeded: Map<number, string>;
  /** UIDs of pods that were reported. */
  reported: Set<string>;
  epoch: number;
}

export function noRuns(): PodRuns {
  return { end: null, active: new Map(), succeeded: new Map(), reported: new Set(), epoch: 0 };
}

/**
 * What must never happen, as far as the facts prove it: a pod that was created after the end of its Job, and two pods of one
 * index that were active at once or both succeeded. Only versions are compared, since clocks differ.
 */
export function checkRuns(runs: PodRuns, event: LedgerEvent): Finding[] {
  if (isOfCronJob(event)) return [];
  enterEpochOf(runs, event);
  if (event.type === 'job.observed') noteEnd(runs, event);
  if (event.type === 'pod.deleted') forget(runs, event.data.podUid);
  return event.type === 'pod.observed' ? checkPod(runs, event) : [];
}

/** Versions before it cannot be compared. */
function enterEpochOf(runs: PodRuns, { data }: JobEvent): void {
  const epoch = 'epoch' in data && 'jobUid' in data ? (data.epoch ?? 0) : 0;
  if (epoch <= runs.epoch) return;
  Object.assign(runs, { ...noRuns(), epoch });
}

function noteEnd(runs: PodRuns, { data: { object } }: JobObserved): void {
  const condition = terminalCondition(object.status ?? {});
  if (condition === undefined || runs.end !== null) return;
  const at = Date.parse(condition.lastTransitionTime ?? '');
  if (Number.isNaN(at)) return;
  runs.end = { version: object.metadata.resourceVersion, at };
}

function checkPod(runs: PodRuns, event: PodObserved): Finding[] {
  const { data } = event;
  const pod = podFacts(data.object);
  if (pod.controller !== data.jobUid || (data.epoch ?? 0) !== runs.epoch) return [];
  const isFirst = !runs.reported.has(pod.uid);
  const found = [...createdLate(runs, pod, data), ...ranTwice(runs, pod)];
  if (found.length === 0 || !isFirst) return [];
  runs.reported.add(pod.uid);
  return found.map((words) => ({ type: 'violated', event: event.id, words, context: [] }));
}

/** Seen by the watch for the first time, in a version after the end. A list may show a pod late. */
function createdLate({ end }: PodRuns, pod: PodFacts, { listedAt }: PodObserved['data']): string[] {
  const isLate =
    end !== null &&
    listedAt === undefined &&
    pod.phase === 'Pending' &&
    pod.scheduled !== true &&
    pod.createdAt > end.at &&
    compareVersions(pod.resourceVersion, end.version) > 0;
  return isLate ? [`the pod ${pod.name} was created after the Job had ended`] : [];
}

function ranTwice(runs: PodRuns, pod: PodFacts): string[] {
  const { index } = pod;
  if (index === undefined) return [];
  const hasEnded = isTerminal(pod.phase) || pod.deleting === true;
  const active = runs.active.get(index) ?? new Map<string, string>();
  runs.active.set(index, active);
  const words: string[] = [];
  if (hasEnded) forget(runs, pod.uid);
  else {
    // The other was created after this one, and before this version, in which this one is still active.
    const own = active.get(pod.uid);
    const isWithOther = [...active.values()].some(
      (first) =>
        own !== undefined &&
        compareVersions(own, first) < 0 &&
        compareVersions(first, pod.resourceVersion) < 0,
    );
    if (isWithOther)
      words.push(`two pods of index ${index} were active at once: ${pod.name} and another one`);
    if (!active.has(pod.uid)) active.set(pod.uid, pod.resourceVersion);
  }
  if (pod.phase === 'Succeeded' && pod.deleting !== true) {
    const before = runs.succeeded.get(index);
    if (before !== undefined && before !== pod.uid)
      words.push(`two pods of index ${index} succeeded: ${pod.name} and another one`);
    runs.succeeded.set(index, before ?? pod.uid);
  }
  return words;
}

function forget({ active }: PodRuns, uid: string): void {
  for (const [index, pods] of active) if (pods.delete(uid) && pods.size === 0) active.delete(index);
}
