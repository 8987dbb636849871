/** The default of `terminationGracePeriodSeconds` of a pod. */
export const DEFAULT_GRACE_SECONDS = 30;

/** The time in which a kubelet notices that its cluster no longer has a pod, in milliseconds. */
const NOTICED_WITHIN_MS = 60_000;

/**
 * The time for which containers may still run after the restore of their cluster from a copy that lacks their pod, in
 * milliseconds (J-16.19).
 */
export function outlivesRestore(graceSeconds = DEFAULT_GRACE_SECONDS): number {
  return NOTICED_WITHIN_MS + graceSeconds * 1000;
}
