import type { EndType } from '../../job/definitions/conditions.ts';
import type { JobSpec } from '../../kubernetes/objects.ts';

/** The fields of a Job's spec that what-if can change. */
export const POLICY_FIELDS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
  'podReplacementPolicy',
  'podFailurePolicy',
  'successPolicy',
] as const satisfies readonly (keyof JobSpec)[];

export type PolicyField = (typeof POLICY_FIELDS)[number];

/** Another policy: values of spec fields from the start of the Job on; null removes a field. */
export type PolicyChange = { readonly [F in PolicyField]?: JobSpec[F] | null };

/** How a Job ended. `at` is the instant of the decision, in RFC 3339 and UTC; the last pods may have ended later. */
export interface JobEnd {
  type: EndType;
  reason: string;
  message: string;
  at: string;
}

/** The life of a Job, and its life under another policy. Plain JSON. */
export interface WhatIf {
  /** `<cluster>/<namespace>/<name>`. */
  job: string;
  uid: string;
  /** The version of the core that made the decisions, which is that of the Job's last recorded decision. */
  core: string;
  /**
   * `same`: it would have ended as it did, or continued; `different`: it would have ended differently, or at another
   * time; `unknown`: the facts run out.
   */
  comparison: 'same' | 'different' | 'unknown';
  message: string;
  /** The value is null when the Job had not ended by the last recorded event. */
  actual: JobEnd | null;
  /** The end that the Job would have had. The value is null when the Job would not have ended by then, or when this is unknown. */
  counterfactual: JobEnd | null;
  /** The time since which nothing is known; null unless `comparison` is `unknown`. */
  unknownSince: string | null;
  podHours: {
    /** The sum of the times of all recorded pods, from the creation of a pod to its end. */
    actual: number;
    /** The part that would not have been needed; null if unknown. */
    saved: number | null;
  };
}
