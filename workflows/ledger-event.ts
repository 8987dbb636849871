import type { CronJobEvent } from './cron-job/events.ts';
import type { CronFact } from './cron-job/facts.ts';
import type { JobEvent } from './job/events.ts';
import type { Fact } from './job/facts.ts';

/** Any event of the ledger: of a Job, of a CronJob (`data.cronJobUid`), or of a cluster. */
export type LedgerEvent = JobEvent | CronJobEvent;

/** A fact of a Job or of a CronJob. */
export type AnyFact = Fact | CronFact;

/** Whether an event belongs to the stream of a CronJob. */
export function isOfCronJob(event: { data: object }): event is CronJobEvent {
  return 'cronJobUid' in event.data;
}
