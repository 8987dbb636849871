import type { CronJobEvent } from './cron-job/events.ts';
import type { CronFact } from './cron-job/facts.ts';
import type { JobEvent } from './job/events.ts';
import type { Fact } from './job/facts.ts';
import type { PlacementEvent } from './placement/events.ts';
import type { PlacementFact } from './placement/facts.ts';

/** Any event of the ledger: of a Job, of a CronJob (`data.cronJobUid`), of a placed Job (`data.placedJobUid`), or of a cluster. */
export type LedgerEvent = JobEvent | CronJobEvent | PlacementEvent;

/** A fact of an object of any kind. */
export type AnyFact = Fact | CronFact | PlacementFact;

/** Whether an event belongs to the stream of a CronJob. */
export function isOfCronJob(event: { data: object }): event is CronJobEvent {
  return 'cronJobUid' in event.data;
}

/** Whether an event belongs to the stream of a placed Job. */
export function isOfPlacedJob(event: { data: object }): event is PlacementEvent {
  return 'placedJobUid' in event.data;
}
