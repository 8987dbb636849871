import type { CronJobDecided, CronJobEvent } from '../../cron-job/events.ts';

/** The stream of a CronJob: its events in ledger order, and its valid decisions. */
export interface StartRecord {
  events: readonly CronJobEvent[];
  standing: readonly CronJobDecided[];
}
