import { isClaimed, type Claim } from '../kubernetes/names.ts';

/** The built-in controllers that Jobledger can replace. */
export const CONTROLLERS = ['job', 'ttl'] as const;
export type Controller = (typeof CONTROLLERS)[number];

/** Input of `decide` besides state and time. Recorded with each decision, so that a replay uses the same values. */
export interface Settings {
  /** Which controllers are replaced: `job`, and `ttl` for `ttlSecondsAfterFinished`. */
  controllers: Controller[];
  claim: Claim;
  /** Delay after the first failed pod, in milliseconds (J-5.40). */
  podFailureBackoffMs: number;
  /** Its upper limit, in milliseconds (J-5.40). */
  maxPodFailureBackoffMs: number;
  /** Maximum of pods created or deleted by one decision (J-5.12, J-5.15). */
  maxPodsPerSync: number;
  /** Maximum of pods counted by one decision (J-4.7). */
  maxUncountedPods: number;
  /**
   * Gang scheduling (J-8.1). Absent when it is off, and below feature level 4. `where-served`: it is not known yet
   * whether the cluster serves the API.
   */
  gangScheduling?: 'where-served' | 'served' | 'not-served';
}

/** The values of the built-in controller. */
export const DEFAULT_SETTINGS: Settings = {
  controllers: ['job'],
  claim: 'managed',
  podFailureBackoffMs: 10_000,
  maxPodFailureBackoffMs: 600_000,
  maxPodsPerSync: 500,
  maxUncountedPods: 500,
};

/** The given settings, with what is known of the cluster in the own ones. */
export function withKnownApi(given: Settings, { gangScheduling }: Settings): Settings {
  if (given.gangScheduling !== 'where-served' || gangScheduling === undefined) return given;
  return { ...given, gangScheduling };
}

/** Whether Jobledger controls a Job with this `spec.managedBy`: creates its pods and writes its status. */
export function isOurs({ controllers, claim }: Settings, managedBy: string | undefined): boolean {
  return controllers.includes('job') && isClaimed(claim, managedBy);
}
