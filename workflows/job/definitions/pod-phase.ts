import type { PodState } from '../state.ts';

/** Whether this is a phase from which a pod never returns (J-0.4). An absent phase is Running. */
export function isTerminal(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Whether this is a pod of the Job that exists and has not finished. One that is still to be adopted is not. */
export function isLive({ claim, gone, phase }: PodState): boolean {
  return claim === undefined && gone !== true && !isTerminal(phase);
}

/**
 * Whether a pod is active: live and not being deleted, observed or not (J-0.4). One that had ended, and was counted and released, is not,
 * whatever its status shows now: another pod may have taken its place.
 */
export function isActive(pod: PodState): boolean {
  return isLive(pod) && pod.deleting !== true && pod.over !== true;
}

/** Whether a pod is terminating: live and being deleted (J-0.4). */
export function isTerminating(pod: PodState): boolean {
  return isLive(pod) && pod.deleting === true;
}

/** A pod is counted once it is released (J-4.11). One whose release was refused does not keep others from being counted. */
export function canBeCounted(pod: PodState | undefined): boolean {
  return pod === undefined || pod.untracked === true || pod.refused !== true;
}
