import type { CronJobDecided, CronJobEvent } from '../../cron-job/events.ts';

/** The stream of a CronJob: its events in ledger order, and its effective decisions. */
export interface StartRecord {
  events: readonly CronJobEvent[];
  effective: readonly CronJobDecided[];
}
