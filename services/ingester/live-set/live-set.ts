import type { AwaitedJob } from '../../../workflows/job/events.ts';
import { CONTROLLER_UID_LABEL } from '../../../workflows/kubernetes/names.ts';
import type { LabelSelector } from '../../../workflows/kubernetes/objects.ts';
import type { HomeRef } from '../../../workflows/placement/member-job.ts';
import type { WatchName } from '../../contracts/watch-names.ts';

/**
 * The live Jobs and pods of one cluster, as appended: only what is needed to notice missed deletions and to match
 * orphans.
 */
export interface LiveSet {
  jobs: Map<string, LiveJob>;
  pods: Map<string, LivePod>;
  /** Empty unless CronJobs are recorded. */
  cronjobs: Map<string, LiveCronJob>;
  /** UIDs of Jobs by `<namespace>/<name>`. */
  uids: Map<string, string>;
  /**
   * UIDs, by namespace, of the Jobs whose selector does not require their own UID as a generated one does: they may match any pod
   * of the namespace.
   */
  matching: Map<string, Set<string>>;
  /** UIDs of the Jobs that wait for a Job, by its `<namespace>/<name>`. */
  waiting: Map<string, Set<string>>;
  /** resourceVersion up to which a watch has been appended. */
  positions: Partial<Record<WatchName<Resource>, WatchPosition>>;
}

export interface WatchPosition {
  resourceVersion: string;
  /** RFC 3339: when the watch reached this version. */
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

/** An object, and its version. */
export interface ObjectVersion {
  namespace: string;
  name: string;
  uid: string;
  resourceVersion: string;
}

/** The version of a list, and when it was compared (RFC 3339). */
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
  /** UIDs of the CronJobs in whose streams the Job was recorded. */
  cronJobs?: string[];
  /** Names of the Jobs for which the Job waits; absent unless it is suspended and waits (J-12.6). */
  waitsFor?: string[];
  /** The creationTimestamp of the Job, if it waits. */
  createdAt?: string;
  /** The placed Job in whose stream it was recorded as a member. */
  home?: HomeRef;
  /** How it ended. */
  end?: AwaitedJob['end'];
}

export interface LivePod {
  namespace: string;
  name: string;
  resourceVersion: string;
  /** True when the pod has ended and still has a tracking finalizer. */
  unfreed?: true;
  /** UIDs of the Jobs in whose streams the pod was recorded. */
  jobs: string[];
}

/** One change of the live set, which becomes a record of the compacted topic; a null `entry` removes. */
export type LiveChange =
  | { resource: 'jobs'; uid: string; entry: LiveJob | null }
  | { resource: 'pods'; uid: string; entry: LivePod | null }
  | { resource: 'cronjobs'; uid: string; entry: LiveCronJob | null }
  | { resource: 'position'; of: WatchName<Resource>; position: WatchPosition };

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

export function applyChange(live: LiveSet, change: LiveChange): void {
  if (change.resource === 'position') live.positions[change.of] = change.position;
  else if (change.resource === 'jobs') setJob(live, change.uid, change.entry);
  else if (change.resource === 'pods') setOrDelete(live.pods, change.uid, change.entry);
  else setOrDelete(live.cronjobs, change.uid, change.entry);
}

function setJob(live: LiveSet, uid: string, entry: LiveJob | null): void {
  const before = live.jobs.get(uid);
  setOrDelete(live.jobs, uid, entry);
  if (before !== undefined) {
    const name = `${before.namespace}/${before.name}`;
    // Another Job may have the name by now.
    if (live.uids.get(name) === uid) live.uids.delete(name);
    removeFrom(live.matching, before.namespace, uid);
    for (const each of before.waitsFor ?? []) removeFrom(live.waiting, `${before.namespace}/${each}`, uid);
  }
  if (entry === null) return;
  live.uids.set(`${entry.namespace}/${entry.name}`, uid);
  if (entry.selector.matchLabels?.[CONTROLLER_UID_LABEL] !== uid) addTo(live.matching, entry.namespace, uid);
  for (const each of entry.waitsFor ?? []) addTo(live.waiting, `${entry.namespace}/${each}`, uid);
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}

function removeFrom(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}

function setOrDelete<E>(entries: Map<string, E>, uid: string, entry: E | null): void {
  if (entry === null) entries.delete(uid);
  else entries.set(uid, entry);
}
