import { readSchedule, rulesOf } from '../../cron-job/decide/zones.ts';
import { cronJobFacts } from '../../cron-job/observe/compact.ts';
import { nextTime } from '../../cron-job/schedule/next-time.ts';
import { isoTime } from '../../job/definitions/instants.ts';
import type { StartRecord } from './start-record.ts';

/**
 * Why there was no start at an instant: no CronJob, or not a time of its schedule at that point. Null when there was
 * one.
 */
export function noTime({ events, standing }: StartRecord, at: number): string | null {
  const observed = events.filter((event) => event.type === 'cronjob.observed');
  const then = observed.findLast(({ time }) => Date.parse(time) <= at) ?? observed[0];
  const gone = events.find((event) => event.type === 'cronjob.deleted');
  if (gone !== undefined && Date.parse(gone.time) <= at) return `the CronJob was deleted by ${gone.time}`;
  if (then === undefined) return null;
  const cronJob = cronJobFacts(then.data.object);
  if (cronJob.createdAt > at) return `the CronJob was created later, at ${isoTime(cronJob.createdAt)}`;
  // The decision at that point read the rules of the zone.
  const decision = standing.findLast(({ data }) => data.now <= at) ?? standing[0];
  if (decision === undefined) return null;
  const rules = rulesOf(cronJob, decision.data.settings);
  if ('missing' in rules || 'unknown' in rules.schedule) return null;
  const parsed = readSchedule(cronJob, rules.schedule);
  if ('error' in parsed || parsed.schedule.kind === 'interval') return null;
  const next = nextTime(parsed.schedule, rules.schedule, at - 1000);
  if (next === at) return null;
  const words = next === null ? 'it has no next time' : `the next one is ${isoTime(next)}`;
  return `${isoTime(at)} is not a time of its schedule "${cronJob.spec.schedule}": ${words}`;
}
