import type { CronJobSpec } from '../../kubernetes/objects.ts';
import type { ZonePeriod, ZoneRules } from '../../cron-job/schedule/zone.ts';

/** The fields of a CronJob's spec that what-if can change: all fields that the core reads. */
export const START_FIELDS = [
  'schedule',
  'timeZone',
  'startingDeadlineSeconds',
  'concurrencyPolicy',
  'suspend',
  'successfulJobsHistoryLimit',
  'failedJobsHistoryLimit',
] as const satisfies readonly (keyof CronJobSpec)[];

export type StartField = (typeof START_FIELDS)[number];

/** Values of spec fields from the first observation of the CronJob on; null removes a field. */
export type StartChange = { readonly [F in StartField]?: CronJobSpec[F] | null };

/** Gives the rules of a time zone that the recorded decisions did not need. */
export type RulesOfZone = (period: ZonePeriod) => ZoneRules;

/**
 * `same`: started as it was; `skipped`: not started; `added`: only started under the change; `replaced`: started as it was, but a
 * later start would have replaced its Job; `kept`: the reverse; `unknown`: it depends on how long a Job would have run.
 */
export const START_RESULTS = [
  'same',
  'skipped',
  'added',
  'earlier',
  'later',
  'replaced',
  'kept',
  'unknown',
] as const;

export type StartResult = (typeof START_RESULTS)[number];

/** The fate of a start. Instants are RFC 3339 UTC. */
export interface StartFate {
  /** The time when its Job was created; null when no Job was. */
  startedAt: string | null;
  /** The time when a later start replaced its Job; null when no start did. */
  replacedAt: string | null;
}

/** A time of the schedule at which a Job was started or would have been. */
export interface ComparedStart {
  scheduledAt: string;
  job: string;
  result: StartResult;
  message: string;
  actual: StartFate;
  /** Null: unknown. */
  counterfactual: StartFate | null;
}

/** The starts of a CronJob, and the starts under the change. Plain JSON. */
export interface WhatIfStarts {
  /** `<cluster>/<namespace>/<name>`. */
  cronJob: string;
  uid: string;
  /** The version of the core that made the decisions: the core of the last recorded decision. */
  core: string;
  /** The starts by the time of the schedule. */
  starts: ComparedStart[];
  totals: Record<StartResult, number>;
  /**
   * The time since which nothing is known, RFC 3339 UTC, and the reason; null when everything is known up to the end
   * of the record.
   */
  unknown: { since: string; message: string } | null;
}
