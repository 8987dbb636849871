import type { PodState } from '../state.ts';

/** True when a pod never returns from this phase (J-0.4). An absent phase is Running. */
export function isTerminal(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/**
 * True when the pod belongs to the Job, exists and has not finished. A pod that must still be adopted does not count.
 */
export function isLive({ claim, gone, phase }: PodState): boolean {
  return claim === undefined && gone !== true && !isTerminal(phase);
}

/**
 * True when a pod is active: live and not being deleted, observed or not (J-0.4). A pod that had ended, and was
 * counted and released, is not active, whatever its status shows now, because another pod may have taken its place.
 */
export function isActive(pod: PodState): boolean {
  return isLive(pod) && pod.deleting !== true && pod.over !== true;
}

/** True when a pod is terminating: live and being deleted (J-0.4). */
export function isTerminating(pod: PodState): boolean {
  return isLive(pod) && pod.deleting === true;
}

/**
 * True for a finished pod that can be counted: a pod is counted once it is released (J-4.11), and a pod whose release
 * was refused does not prevent the count of other pods.
 */
export function canBeCounted(pod: PodState | undefined): boolean {
  return pod === undefined || pod.untracked === true || pod.refused !== true;
}
