import { isClaimed, type Claim } from '../kubernetes/names.ts';

/** The built-in controllers that Jobledger can replace. */
export const CONTROLLERS = ['job', 'ttl'] as const;
export type Controller = (typeof CONTROLLERS)[number];

/**
 * The API of Workloads and PodGroups that the cluster serves: `served` is the API of Kubernetes 1.36 (J-8.1), and
 * `v1beta1` the API since 1.37 (J-8.20).
 */
export type SchedulingApi = 'served' | 'v1beta1' | 'not-served';

/**
 * The input of `decide` besides state and time. Each decision records the settings, so that a replay uses the same
 * values.
 */
export interface Settings {
  /** The controllers that Jobledger replaces: `job`, and `ttl` for `ttlSecondsAfterFinished`. */
  controllers: Controller[];
  claim: Claim;
  /** The delay after the first failed pod, in milliseconds (J-5.40). */
  podFailureBackoffMs: number;
  /** The upper limit of the delay, in milliseconds (J-5.40). */
  maxPodFailureBackoffMs: number;
  /** The maximum number of pods that one decision creates or deletes (J-5.12, J-5.15). */
  maxPodsPerSync: number;
  /** The maximum number of pods that one decision counts (J-4.7). */
  maxUncountedPods: number;
  /** True when Jobs get PodGroups. The field is absent when the feature is off. */
  gangScheduling?: SchedulingApi | 'where-served';
}

/** The default values, which the built-in controller uses. */
export const DEFAULT_SETTINGS: Settings = {
  controllers: ['job'],
  claim: 'managed',
  podFailureBackoffMs: 10_000,
  maxPodFailureBackoffMs: 600_000,
  maxPodsPerSync: 500,
  maxUncountedPods: 500,
};

/** The given settings, with the facts about the cluster from the own settings of the run. */
export function withKnownApi(given: Settings, { gangScheduling }: Settings): Settings {
  if (given.gangScheduling !== 'where-served' || gangScheduling === undefined) return given;
  return { ...given, gangScheduling };
}

/**
 * True when Jobledger controls a Job with this `spec.managedBy`: Jobledger creates the pods and writes the status.
 */
export function isOurs({ controllers, claim }: Settings, managedBy: string | undefined): boolean {
  return controllers.includes('job') && isClaimed(claim, managedBy);
}
