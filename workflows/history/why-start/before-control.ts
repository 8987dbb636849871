import type { ChildObserved } from '../../cron-job/events.ts';
import { cronJobFacts } from '../../cron-job/observe/compact.ts';
import { dueOfStartName } from '../../cron-job/definitions/start-name.ts';
import type { WhyAnswer } from '../why/types.ts';
import { childFate } from './fate.ts';
import type { StartRecord } from './start-record.ts';

/**
 * The answers about a time of the schedule before the first decision of Jobledger about the CronJob: another controller
 * decides about the starts of that time, and its reasons are not recorded. The result is null for later times, and for
 * times before the CronJob existed.
 */
export function beforeControl(record: StartRecord, scheduledAt: number): WhyAnswer[] | null {
  const { events } = record;
  const observed = events.find((event) => event.type === 'cronjob.observed');
  const decided = events.find((event) => event.type === 'cronjob.decided');
  if (observed === undefined || Date.parse(decided?.time ?? '') <= scheduledAt) return null;
  const { name, createdAt } = cronJobFacts(observed.data.object);
  if (createdAt > scheduledAt) return null;
  if (decided === undefined) {
    const message =
      'Jobledger observes the CronJob, but does not control it; the reasons of its controller are not recorded';
    return [{ question: 'who decided about the start', message, because: [] }];
  }
  const message = `Jobledger decides about the CronJob only since ${decided.time}; the reasons of an earlier controller are not recorded`;
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
