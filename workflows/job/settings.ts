import { isClaimed, type Claim } from '../kubernetes/names.ts';

/** The built-in controllers whose place we can take. */
export const CONTROLLERS = ['job', 'ttl'] as const;
export type Controller = (typeof CONTROLLERS)[number];

/** What `decide` reads besides state and time. Recorded with each decision, so that a replay uses the same. */
export interface Settings {
  /** Which controllers we are: the Job controller, the one for `ttlSecondsAfterFinished`. */
  controllers: Controller[];
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
  controllers: ['job'],
  claim: 'managed',
  podFailureBackoffMs: 10_000,
  maxPodFailureBackoffMs: 600_000,
  maxPodsPerSync: 500,
  maxUncountedPods: 500,
};

/** Whether we drive a Job with this `spec.managedBy`: create its pods, write its status. */
export function isOurs({ controllers, claim }: Settings, managedBy: string | undefined): boolean {
  return controllers.includes('job') && isClaimed(claim, managedBy);
}
