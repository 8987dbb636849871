import { isActive, isTerminating } from '../job/definitions/pod-phase.ts';
import type { JobState } from '../job/state.ts';

/** The numbers of active and of terminating pods of a Job (J-0.4). */
export interface PodCounts {
  active: number;
  terminating: number;
}

export function countPods({ pods }: JobState): PodCounts {
  const all = Object.values(pods);
  return { active: all.filter(isActive).length, terminating: all.filter(isTerminating).length };
}

/** The pod counts as text, such as `2 active` or `1 active, 1 terminating`. */
export function podCountText({ active, terminating }: PodCounts): string {
  return terminating === 0 ? `${active} active` : `${active} active, ${terminating} terminating`;
}
