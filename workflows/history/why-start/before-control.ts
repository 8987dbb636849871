import type { ChildObserved } from '../../cron-job/events.ts';
import { cronJobFacts } from '../../cron-job/observe/compact.ts';
import { dueOfStartName } from '../../cron-job/definitions/start-name.ts';
import type { WhyAnswer } from '../why/types.ts';
import { childFate } from './fate.ts';
import type { StartRecord } from './start-record.ts';

/**
 * The answers about a time of the schedule before Jobledger first observed the CronJob: another controller decides
 * about the starts of that time, and its reasons are not recorded. The result is null for later times, and for times
 * before the CronJob existed.
 */
export function beforeControl(record: StartRecord, scheduledAt: number): WhyAnswer[] | null {
  const { events } = record;
  const first = events.find((event) => event.type === 'cronjob.observed');
  if (first === undefined || Date.parse(first.time) <= scheduledAt) return null;
  const { name, createdAt } = cronJobFacts(first.data.object);
  if (createdAt > scheduledAt) return null;
  const message = `Jobledger decides about the CronJob only since ${first.time}, when it first saw it; the reasons of an earlier controller are not recorded`;
  const job = events.find(
    (event): event is ChildObserved =>
      event.type === 'job.observed' && dueOfStartName(name, event.data.object.metadata.name) === scheduledAt,
  );
  if (job === undefined)
    return [
      {
        question: 'why no Job was created',
        message: `${message}, and no Job of this start was seen`,
        because: [],
      },
    ];
  const { name: child } = job.data.object.metadata;
  return [
    { question: 'its Job', message: `${child}, which Jobledger did not create`, because: [job.id] },
    { question: 'why it was created', message, because: [] },
    ...childFate(record, child),
  ];
}
