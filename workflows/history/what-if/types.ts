import type { EndType } from '../../batch/conditions.ts';
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

/** Another policy: new values of fields of the spec, from the start of the Job; null removes a field. */
export type PolicyChange = { readonly [F in PolicyField]?: JobSpec[F] | null };

/** How a Job ended. `at` is the instant of the decision, in RFC 3339 and UTC; the last pods may have ended later. */
export interface JobEnd {
  type: EndType;
  reason: string;
  message: string;
  at: string;
}

/** The course of a Job, and its course under another policy. Plain JSON. */
export interface WhatIf {
  /** `<cluster>/<namespace>/<name>`. */
  job: string;
  uid: string;
  /** The version of the core that made the decisions, which is the core of the last recorded decision of the Job. */
  core: string;
  /**
   * `same` means that the Job would have ended at the same time in the same way, or continued; `different`, that it
   * would have ended in another way or at another time; `unknown`, that the facts do not suffice.
   */
  comparison: 'same' | 'different' | 'unknown';
  message: string;
  /** The value is null when the Job had not ended by the last recorded event. */
  actual: JobEnd | null;
  /**
   * The end that the Job would have had. The value is null when the Job would not have ended by the last recorded
   * event, or when this is unknown.
   */
  counterfactual: JobEnd | null;
  /** The instant after which nothing is known; null unless `comparison` is `unknown`. */
  unknownSince: string | null;
  podHours: {
    /** The sum of the times of all recorded pods, from the creation of a pod to its end. */
    actual: number;
    /** The part of this sum that would not have been needed; null if the part is unknown. */
    saved: number | null;
  };
}
