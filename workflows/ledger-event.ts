import type { CronJobEvent } from './cron-job/events.ts';
import type { JobEvent } from './job/events.ts';

/** Any event of the ledger: of a Job, of a CronJob (`data.cronJobUid`), or of a cluster. */
export type LedgerEvent = JobEvent | CronJobEvent;

/** Whether an event belongs to the stream of a CronJob. */
export function isOfCronJob(event: LedgerEvent): event is CronJobEvent {
  return 'cronJobUid' in event.data;
}
