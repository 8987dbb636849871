import type { AwaitedJob } from '../../../workflows/job/events.ts';
import { CONTROLLER_UID_LABEL } from '../../../workflows/kubernetes/names.ts';
import type { LabelSelector } from '../../../workflows/kubernetes/objects.ts';
import type { HomeRef } from '../../../workflows/placement/member-job.ts';
import type { WatchName } from '../../shards/watch-names.ts';

/**
 * The live Jobs and pods of one cluster whose events were appended. An entry has only the fields that are needed to
 * notice missed deletions and to match orphans.
 */
export interface LiveSet {
  jobs: Map<string, LiveJob>;
  pods: Map<string, LivePod>;
  /** The live CronJobs; empty unless CronJobs are recorded. */
  cronjobs: Map<string, LiveCronJob>;
  /** The UIDs of the Jobs, by `<namespace>/<name>`. */
  uids: Map<string, string>;
  /**
   * The UIDs of the Jobs that may match any pod of their namespace, by namespace. The selector of such a Job does not
   * require the UID of the Job, unlike a generated selector.
   */
  matching: Map<string, Set<string>>;
  /** The UIDs of the Jobs that wait for a Job, by the `<namespace>/<name>` of the awaited Job. */
  waiting: Map<string, Set<string>>;
  /** The position of each watch: all events up to this position have been appended. */
  positions: Partial<Record<WatchName<Resource>, WatchPosition>>;
}

export interface WatchPosition {
  resourceVersion: string;
  /** The RFC 3339 time at which the watch reached this version. */
  time: string;
  /** The epoch of the version; absent before the API server was restored for the first time. */
  epoch?: number;
  /** The last list that was compared with the live set; absent before the first list. */
  compared?: ListCompared;
  /**
   * The object whose deletion the watch showed last, with the version of the deletion; absent before the first
   * deletion.
   */
  deleted?: ObjectVersion;
}

/** An object and its version. */
export interface ObjectVersion {
  namespace: string;
  name: string;
  uid: string;
  resourceVersion: string;
}

/** The version of a list, and the RFC 3339 time at which the list was compared. */
export interface ListCompared {
  resourceVersion: string;
  time: string;
}

export const RESOURCES = ['jobs', 'pods', 'cronjobs'] as const;
export type Resource = (typeof RESOURCES)[number];

export interface LiveCronJob {
  namespace: string;
  name: string;
  resourceVersion: string;
}

export interface LiveJob {
  namespace: string;
  name: string;
  resourceVersion: string;
  managedBy?: string;
  /** True when the Job has finished and has a `ttlSecondsAfterFinished`. */
  expires?: true;
  selector: LabelSelector;
  /** The UIDs of the CronJobs in whose streams the Job was recorded. */
  cronJobs?: string[];
  /** The names of the Jobs that the Job waits for; absent unless the Job is suspended and waits (J-12.6). */
  waitsFor?: string[];
  /** The creationTimestamp of the Job, if the Job waits. */
  createdAt?: string;
  /** The placed Job in whose stream the Job was recorded as a member. */
  home?: HomeRef;
  /** The end of the Job; absent while the Job has not ended. */
  end?: AwaitedJob['end'];
}

export interface LivePod {
  namespace: string;
  name: string;
  resourceVersion: string;
  /** True when the pod has ended and still has a tracking finalizer. */
  unfreed?: true;
  /** The UIDs of the Jobs in whose streams the pod was recorded. */
  jobs: string[];
}

/** One change of the live set, which becomes a record of the compacted topic; a null `entry` removes the object. */
export type LiveChange =
  | { resource: 'jobs'; uid: string; entry: LiveJob | null }
  | { resource: 'pods'; uid: string; entry: LivePod | null }
  | { resource: 'cronjobs'; uid: string; entry: LiveCronJob | null }
  | { resource: 'position'; of: WatchName<Resource>; position: WatchPosition };

/** The watches of Kubernetes Events, by the kind of the object that the Events are about. */
export type EventWatch = 'pod-events' | 'job-events';

/** True for the name of a watch of Kubernetes Events. */
export function isEventWatch(name: WatchName<Resource | EventWatch>): name is WatchName<EventWatch> {
  return /^(?:pod|job)-events(?:\.|$)/.test(name);
}

/** A change that becomes a record of the compacted topic: of the live set, or of the recorded Kubernetes Events of a Job. */
export type StoredChange =
  | LiveChange
  | { resource: 'kubernetes-events'; uid: string; entry: object | null }
  | { resource: 'position'; of: WatchName<EventWatch>; position: WatchPosition };

export function emptyLiveSet(): LiveSet {
  return {
    jobs: new Map(),
    pods: new Map(),
    cronjobs: new Map(),
    uids: new Map(),
    matching: new Map(),
    waiting: new Map(),
    positions: {},
  };
}

/** Applies one change to the live set. */
export function applyChange(live: LiveSet, change: LiveChange): void {
  if (change.resource === 'position') live.positions[change.of] = change.position;
  else if (change.resource === 'jobs') setJob(live, change.uid, change.entry);
  else if (change.resource === 'pods') setOrDelete(live.pods, change.uid, change.entry);
  else setOrDelete(live.cronjobs, change.uid, change.entry);
}

/** Sets or removes a Job, and updates the indexes of the live set. */
function setJob(live: LiveSet, uid: string, entry: LiveJob | null): void {
  const before = live.jobs.get(uid);
  setOrDelete(live.jobs, uid, entry);
  if (before !== undefined) {
    const name = `${before.namespace}/${before.name}`;
    // Another Job may have the name in the meantime.
    if (live.uids.get(name) === uid) live.uids.delete(name);
    removeFromSet(live.matching, before.namespace, uid);
    for (const each of before.waitsFor ?? []) removeFromSet(live.waiting, `${before.namespace}/${each}`, uid);
  }
  if (entry === null) return;
  live.uids.set(`${entry.namespace}/${entry.name}`, uid);
  if (entry.selector.matchLabels?.[CONTROLLER_UID_LABEL] !== uid)
    addToSet(live.matching, entry.namespace, uid);
  for (const each of entry.waitsFor ?? []) addToSet(live.waiting, `${entry.namespace}/${each}`, uid);
}

function addToSet(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}

function removeFromSet(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}

function setOrDelete<E>(entries: Map<string, E>, uid: string, entry: E | null): void {
  if (entry === null) entries.delete(uid);
  else entries.set(uid, entry);
}
