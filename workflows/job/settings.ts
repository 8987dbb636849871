import type { Claim } from '../kubernetes/names.ts';

/** What `decide` reads besides state and time. Recorded with each decision, so that a replay uses the same. */
export interface Settings {
  claim: Claim;
  /** Delay after the first failed pod, in milliseconds (J-5.40). */
  podFailureBackoffMs: number;
  /** Its upper limit, in milliseconds (J-5.40). */
  maxPodFailureBackoffMs: number;
  /** Pods created or deleted in one decision at most (J-5.12, J-5.15). */
  maxPodsPerSync: number;
  /** Pods counted in one decision at most (J-4.7). */
  maxUncountedPods: number;
}

/** The values of the built-in controller. */
export const DEFAULT_SETTINGS: Settings = {
  claim: 'managed',
  podFailureBackoffMs: 10_000,
  maxPodFailureBackoffMs: 600_000,
  maxPodsPerSync: 500,
  maxUncountedPods: 500,
};
