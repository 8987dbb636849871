import type { EndType } from '../../job/definitions/conditions.ts';
import type { JobSpec } from '../../kubernetes/objects.ts';

/** Fields of a Job's spec that decide how it goes on and ends: what can be asked about. */
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

/** Another policy: these fields of the spec are so from the beginning on; null takes one away. */
export type PolicyChange = { readonly [F in PolicyField]?: JobSpec[F] | null };

/** How a Job ended: with the decision to, whatever its last pods then took. Instants are RFC 3339, UTC. */
export interface JobEnd {
  type: EndType;
  reason: string;
  message: string;
  at: string;
}

/** What became of a Job, and what would have become of it. Plain JSON. */
export interface WhatIf {
  /** `<cluster>/<namespace>/<name>`. */
  job: string;
  uid: string;
  /** The version of the core that was asked: the one that decided about the Job last. */
  core: string;
  /**
   * `same`: it would have ended as it did, or gone on; `otherwise`: it would have ended otherwise, or at another time;
   * `unknown`: the facts run out.
   */
  result: 'same' | 'otherwise' | 'unknown';
  words: string;
  /** Null: it had not ended by the end of the record. */
  actual: JobEnd | null;
  /** Null: it would not have ended by then, or it is unknown. */
  otherwise: JobEnd | null;
  /** From when on nothing is known; null unless `result` is `unknown`. */
  unknownSince: string | null;
  podHours: {
    /** Of all pods that there were, from creation to their end. */
    actual: number;
    /** Of them, those that would not have been needed; null where that is unknown. */
    saved: number | null;
  };
}
