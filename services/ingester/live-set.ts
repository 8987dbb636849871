import type { LabelSelector } from '../../workflows/kubernetes/objects.ts';

/** Who is alive in one cluster, as far as appended: only what is needed to notice who vanished, and to find orphans' Jobs. */
export interface LiveSet {
  jobs: Map<string, LiveJob>;
  pods: Map<string, LivePod>;
  /** resourceVersion up to which a watch has been appended. */
  positions: Partial<Record<Resource, WatchPosition>>;
}

export interface WatchPosition {
  resourceVersion: string;
  /** RFC 3339: when the watch had come so far. */
  time: string;
}

export type Resource = 'jobs' | 'pods';

export interface LiveJob {
  namespace: string;
  name: string;
  resourceVersion: string;
  managedBy?: string;
  /** It has finished and has a `ttlSecondsAfterFinished`. */
  expires?: true;
  selector: LabelSelector;
}

export interface LivePod {
  namespace: string;
  name: string;
  resourceVersion: string;
  /** It has ended, and still carries a tracking finalizer. */
  unfreed?: true;
  /** UIDs of the Jobs under which it was recorded. */
  jobs: string[];
}

/** One change of the set, and the record of it in the compacted topic; `entry` null removes. */
export type LiveChange =
  | { resource: 'jobs'; uid: string; entry: LiveJob | null }
  | { resource: 'pods'; uid: string; entry: LivePod | null }
  | { resource: 'position'; of: Resource; position: WatchPosition };

export function emptyLiveSet(): LiveSet {
  return { jobs: new Map(), pods: new Map(), positions: {} };
}

export function applyChange(live: LiveSet, change: LiveChange): void {
  if (change.resource === 'position') live.positions[change.of] = change.position;
  else if (change.resource === 'jobs') setOrDelete(live.jobs, change.uid, change.entry);
  else setOrDelete(live.pods, change.uid, change.entry);
}

function setOrDelete<E>(entries: Map<string, E>, uid: string, entry: E | null): void {
  if (entry === null) entries.delete(uid);
  else entries.set(uid, entry);
}
