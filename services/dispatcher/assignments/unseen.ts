import type { ObjectRef } from '../../../workflows/activities.ts';
import type { CommitPosition } from './position.ts';

/** The time in milliseconds after which the run of a Job looks up a created pod that is not observed (J-3.21). */
const LOOK_UP_MS = 60_000;

/** The pods that one command created and that are not observed yet. */
export interface UnseenPods {
  job: ObjectRef;
  /** The position of the command's outcome in the ledger. */
  offset: bigint;
  uids: Set<string>;
  dueAt: number;
}

/**
 * The created pods of a partition that are not observed yet. A run has no timer for its first look-up of such a pod:
 * the dispatcher asks the run to look the pod up. The position does not pass the outcome of the creation before the
 * dispatcher has asked, so the next owner of the partition also asks.
 */
export interface UnseenPodQueue {
  add(pods: Omit<UnseenPods, 'dueAt'>, now: number): void;
  /** Called when a pod or its deletion was observed. */
  seen(uid: string): void;
  /** Returns the pods whose runs must be asked now. Call `forget` after each. */
  due(now: number): UnseenPods[];
  forget(pods: UnseenPods): void;
  /** The number of outcomes for which the position waits. */
  size(): number;
}

export function createUnseenPodQueue(position: Pick<CommitPosition, 'begin' | 'finish'>): UnseenPodQueue {
  /** The pods by offset, the oldest first. */
  const all = new Map<bigint, UnseenPods>();
  const ofPod = new Map<string, UnseenPods>();
  const forget = (pods: UnseenPods): void => {
    for (const uid of pods.uids) ofPod.delete(uid);
    all.delete(pods.offset);
    position.finish(pods.offset);
  };
  return {
    add(created, now) {
      const pods = { ...created, dueAt: now + LOOK_UP_MS };
      all.set(pods.offset, pods);
      for (const uid of pods.uids) ofPod.set(uid, pods);
      position.begin(pods.offset);
    },
    seen(uid) {
      const pods = ofPod.get(uid);
      if (pods === undefined) return;
      ofPod.delete(uid);
      pods.uids.delete(uid);
      if (pods.uids.size === 0) forget(pods);
    },
    due: (now) => [...all.values()].filter(({ dueAt }) => dueAt <= now),
    forget,
    size: () => all.size,
  };
}
