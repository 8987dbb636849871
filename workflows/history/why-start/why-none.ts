import { apiTime, isoTime } from '../../ledger/instants.ts';
import { commandCauseId, waitingCauseId } from '../why/cause-id.ts';
import type { WhyAnswer } from '../why/types.ts';
import { startAfter, type StartAttempt } from './attempts.ts';
import type { StartRecord } from './start-record.ts';
import { readSchedule, zoneRules } from '../../cron-job/decide/zones.ts';
import { cronJobFacts } from '../../cron-job/observe/compact.ts';
import { nextTime } from '../../cron-job/schedule/next-time.ts';

/** The reason why no Job was created for a time of the schedule; `last` is the last attempt to create it. */
export function whyNone(
  record: StartRecord,
  scheduledAt: number,
  { last, now }: { last: StartAttempt | undefined; now: number },
): WhyAnswer {
  const question = 'why no Job was created';
  const none = last === undefined ? (whyNoTime(record, scheduledAt) ?? notDueText(scheduledAt, now)) : null;
  if (none !== null) return { question, message: none, because: [] };
  const { effective } = record;
  const next = startAfter(record, scheduledAt);
  const end = next?.data.now ?? Infinity;
  const inForce = effective.findLast(({ data }) => data.now < scheduledAt);
  const later = effective.filter(({ data }) => data.now >= scheduledAt && data.now < end);
  const reasons = [...(last === undefined ? [inForce ?? []].flat() : []), ...later].filter(
    ({ data }) => data.waiting !== null && data.waiting.rule !== 'J-9.45',
  );
  const instead =
    next === null
      ? []
      : [
          `the Job of a later start was created at ${isoTime(next.data.now)} instead: ${creationMessage(next)}`,
        ];
  const taken = last?.result === 'taken' ? [`a Job of another controller has the name of its Job`] : [];
  const texts = [...taken, ...new Set(reasons.map(({ data }) => data.waiting?.message ?? '')), ...instead];
  return {
    question,
    message: texts.length > 0 ? texts.join('; then ') : `nothing was decided after ${apiTime(scheduledAt)}`,
    because: [
      ...reasons.map(({ id }) => waitingCauseId(id)),
      ...(next === null
        ? []
        : [
            commandCauseId(
              next.id,
              next.data.commands.findIndex(({ kind }) => kind === 'CreateJob'),
            ),
          ]),
    ],
  };
}

/** The message about a time in the future; null when the time is due. */
function notDueText(at: number, now: number): string | null {
  return at > now ? `${isoTime(at)} is not due yet` : null;
}

/** The reason of the command to create a Job in a decision. */
function creationMessage({ data }: StartRecord['effective'][number]): string {
  return data.commands.find(({ kind }) => kind === 'CreateJob')?.why.message ?? '';
}

/**
 * The reason why an instant has no start: no CronJob existed, or the schedule did not have the time; null when the
 * start existed.
 */
function whyNoTime({ events, effective }: StartRecord, at: number): string | null {
  const observed = events.filter((event) => event.type === 'cronjob.observed');
  const then = observed.findLast(({ time }) => Date.parse(time) <= at) ?? observed[0];
  const gone = events.find((event) => event.type === 'cronjob.deleted');
  if (gone !== undefined && Date.parse(gone.time) <= at)
    return `the CronJob had been deleted at ${gone.time}`;
  if (then === undefined) return null;
  const cronJob = cronJobFacts(then.data.object);
  if (cronJob.createdAt > at) return `the CronJob was created later, at ${isoTime(cronJob.createdAt)}`;
  // The decision at that time read the rules of the zone.
  const decision = effective.findLast(({ data }) => data.now <= at) ?? effective[0];
  if (decision === undefined) return null;
  const rules = zoneRules(cronJob, decision.data.settings);
  if ('missing' in rules || 'unknown' in rules.schedule) return null;
  const parsed = readSchedule(cronJob, rules.schedule);
  if ('error' in parsed || parsed.schedule.kind === 'interval') return null;
  const next = nextTime(parsed.schedule, rules.schedule, at - 1000);
  if (next === at) return null;
  const message = next === null ? 'it has no next time' : `the next one is ${isoTime(next)}`;
  return `${isoTime(at)} is not a time of its schedule "${cronJob.spec.schedule}": ${message}`;
}
