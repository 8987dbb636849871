import type { CronJobEvent } from '../../cron-job/events.ts';
import { attemptsFor } from '../why-start/attempts.ts';
import type { StartRecord } from '../why-start/start-record.ts';
import { whyNone } from '../why-start/why-none.ts';

/** The reason why no Job was created for a time of the schedule, in milliseconds, in the words of `why --start`. */
export type ReasonFor = (scheduledAt: number) => string;

/** Finds the reasons in a record; the record is searched once, not for each start. */
export function reasonsIn(record: StartRecord): ReasonFor {
  const tried = new Set(
    record.standing.flatMap(({ data }) =>
      data.commands.flatMap((each) => (each.kind === 'CreateJob' ? [Date.parse(each.scheduledAt)] : [])),
    ),
  );
  const short = { events: specsIn(record.events), standing: record.standing };
  return (scheduledAt) => {
    const last = tried.has(scheduledAt) ? attemptsFor(record, scheduledAt).at(-1) : undefined;
    return whyNone(short, scheduledAt, { last, now: Infinity }).message;
  };
}

/** The observations that changed the spec, and the deletion. */
function specsIn(events: readonly CronJobEvent[]): CronJobEvent[] {
  let generation: number | null | undefined = null;
  return events.filter((event) => {
    if (event.type !== 'cronjob.observed') return event.type === 'cronjob.deleted';
    const isNew = event.data.object.metadata.generation !== generation;
    generation = event.data.object.metadata.generation;
    return isNew;
  });
}
