import { isClaimed, type Claim } from '../kubernetes/names.ts';

/** The built-in controllers that Jobledger can replace. */
export const CONTROLLERS = ['job', 'ttl'] as const;
export type Controller = (typeof CONTROLLERS)[number];

/**
 * The API of Workloads and PodGroups that the cluster serves: `served` is that of Kubernetes 1.36 (J-8.1), `v1beta1` that from
 * 1.37 on (J-8.20).
 */
export type SchedulingApi = 'served' | 'v1beta1' | 'not-served';

/** Input of `decide` besides state and time. Recorded with each decision, so that a replay uses the same values. */
export interface Settings {
  /** The controllers that Jobledger replaces: `job`, and `ttl` for `ttlSecondsAfterFinished`. */
  controllers: Controller[];
  claim: Claim;
  /** Delay after the first failed pod, in milliseconds (J-5.40). */
  podFailureBackoffMs: number;
  /** The upper limit of the delay, in milliseconds (J-5.40). */
  maxPodFailureBackoffMs: number;
  /** Maximum of pods created or deleted by one decision (J-5.12, J-5.15). */
  maxPodsPerSync: number;
  /** Maximum of pods counted by one decision (J-4.7). */
  maxUncountedPods: number;
  /** True when Jobs get PodGroups. Absent when the feature is off. */
  gangScheduling?: SchedulingApi | 'where-served';
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

/** The given settings, with the facts about the cluster from our own settings. */
export function withKnownApi(given: Settings, { gangScheduling }: Settings): Settings {
  if (given.gangScheduling !== 'where-served' || gangScheduling === undefined) return given;
  return { ...given, gangScheduling };
}

/** True when Jobledger controls a Job with this `spec.managedBy`: it creates the pods and writes the status. */
export function isOurs({ controllers, claim }: Settings, managedBy: string | undefined): boolean {
  return controllers.includes('job') && isClaimed(claim, managedBy);
}
