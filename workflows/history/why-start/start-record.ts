import type { CronJobDecided, CronJobEvent } from '../../cron-job/events.ts';

/** The stream of a CronJob: its events in ledger order, and its decisions that stand. */
export interface StartRecord {
  events: readonly CronJobEvent[];
  standing: readonly CronJobDecided[];
}
