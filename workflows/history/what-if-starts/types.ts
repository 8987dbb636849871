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

/** The new values of fields of the spec, from the first observation of the CronJob; null removes a field. */
export type StartChange = { readonly [F in StartField]?: CronJobSpec[F] | null };

/** Returns the rules of a time zone that the recorded decisions did not need. */
export type RulesOfZone = (period: ZonePeriod) => ZoneRules;

/**
 * `same` means that the start was made under both; `skipped`, that the start is not made under the change; `added`,
 * that the start is made only under the change; `replaced`, that the start is made under both, but a later start
 * replaces its Job only under the change; `kept`, that a later start replaces its Job only in the record; `unknown`,
 * that the result depends on the unknown duration of a Job.
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

/** The result of a start. Instants are in RFC 3339 and UTC. */
export interface StartFate {
  /** The time when the Job of the start was created; null when no Job was created. */
  startedAt: string | null;
  /** The time when a later start replaced the Job; null when no start replaced it. */
  replacedAt: string | null;
}

/** A time of the schedule at which a Job was started or would have been. */
export interface ComparedStart {
  scheduledAt: string;
  job: string;
  result: StartResult;
  message: string;
  actual: StartFate;
  /** The value is null when the result is unknown. */
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
   * The instant after which nothing is known, in RFC 3339 and UTC, and the reason; null when everything is known up
   * to the end of the record.
   */
  unknown: { since: string; message: string } | null;
}
