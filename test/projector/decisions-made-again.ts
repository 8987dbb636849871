import { withDigest } from '../../services/adapters/events/event-codec.ts';
import type { CronJobDecided } from '../../workflows/cron-job/events.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { decided } from './builders.ts';

/** One decision of a stream whose steps ran again. */
export interface MadeAgain {
  /** The number of steps before it that do not stand: Temporal has gone back. */
  back: number;
  /** When none follows it: the number of later ones that are appended before it. */
  late: number;
  /** Which reason it gives for waiting; 0 for none. */
  waits?: number;
}

/** The decisions of these steps in the order in which they were appended. */
export function appended(steps: readonly MadeAgain[]): JobEvent[] {
  const chain: string[] = [];
  const made = steps.map(({ back, late, waits = 0 }, at) => {
    chain.length = Math.max(0, chain.length - back);
    const predecessor = chain.at(-1);
    const id = `decision-${at}`;
    const waiting = waits === 0 ? null : { rule: 'J-5.40' as const, words: `back-off ${waits}` };
    const event = decided(at, chain.push(id), {
      id,
      waiting,
      ...(predecessor !== undefined && { predecessor }),
    });
    return { event, id, predecessor, at, late };
  });
  const followed = new Set(made.map(({ predecessor }) => predecessor));
  return made
    .toSorted((a, b) => a.at + (followed.has(a.id) ? 0 : a.late) - b.at - (followed.has(b.id) ? 0 : b.late))
    .map(({ event }) => event);
}

/** The decision as one of another Job. */
export function ofJob(event: JobEvent, jobUid: string): JobEvent {
  if (event.type !== 'job.decided') throw new Error(`${event.id} is not a decision`);
  const { data } = event;
  return withDigest({ ...event, id: `${jobUid}/${event.id}`, data: { ...named(data, jobUid), jobUid } });
}

/** The decision as one about a CronJob. */
export function ofCronJob(event: JobEvent, cronJobUid: string): CronJobDecided {
  if (event.type !== 'job.decided') throw new Error(`${event.id} is not a decision`);
  const { jobUid: _, settings: _ofJobs, ...data } = named(event.data, cronJobUid);
  return withDigest({
    ...event,
    type: 'cronjob.decided',
    id: `${cronJobUid}/${event.id}`,
    data: { ...data, cronJobUid, commands: [], settings: { zones: {} } },
  } as never);
}

function named<Data extends { predecessor: string | null }>(data: Data, uid: string): Data {
  return { ...data, predecessor: data.predecessor === null ? null : `${uid}/${data.predecessor}` };
}
