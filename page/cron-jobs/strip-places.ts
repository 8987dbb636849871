import type { CronJobDetails, CronJobStart, SkippedStart } from '../api/rows.ts';
import { duration, localMinute } from '../components/instants.ts';
import { timeInZone } from './time-in-zone.ts';

/** The fate of a start of a CronJob. */
export type ShownFate =
  | 'succeeded'
  | 'failed'
  | 'running'
  | 'deleted'
  | 'not-started'
  | 'skipped'
  | 'missed'
  | 'coming';

/** A place of the strip: a start, a time without a start, or a coming start. */
export interface StripPlace {
  key: string;
  fate: ShownFate;
  isLate: boolean;
  message: string;
  start: CronJobStart | null;
  /** The reason why no Job exists; null for a start with a Job, or a coming start. */
  why: WhyNot | null;
}

/** A sentence with its rule, if the rule is known. */
export interface WhyNot {
  message: string;
  rule: string | null;
}

/** The largest numbers of single missed times before a start, and of places before the coming starts. */
const [MOST_MISSED, MOST_PLACES] = [5, 60];

/** Parts of the messages of the core about a start (workflows/cron-job/decide/start.ts). */
const [MISSED, LATE] = [/about (\d+) before it were missed/, /\b(\d+) s late\b/];

/** The delay in seconds from which the page calls a start late. */
const LATE_S = 10;

/** The starts of a CronJob from the oldest to the coming starts; `starts` and `skipped` begin with the latest. */
export function startsStrip(
  cronJob: CronJobDetails,
  starts: readonly CronJobStart[],
  skipped: readonly SkippedStart[],
): StripPlace[] {
  const left = skipped.toReversed();
  const past = starts.toReversed().flatMap((start) => {
    const before = left.splice(0, left.filter(({ scheduled_at: at }) => isBefore(at, start)).length);
    return [...missedBefore(start, before.length), ...before.map(skippedPlace), stripPlace(start)];
  });
  const coming = cronJob.coming_starts.map((at) => comingPlace(at, cronJob.time_zone));
  return [...[...past, ...left.map(skippedPlace)].slice(-MOST_PLACES), ...coming];
}

/** True when an instant is before the scheduled time of a start. */
function isBefore(instant: string, { scheduled_at: at }: CronJobStart): boolean {
  return at !== null && Date.parse(instant) < Date.parse(at);
}

/** The missed times before a start that no decision names; `named` is the number of missed times that a decision names. */
function missedBefore({ message, scheduled_at: at }: CronJobStart, named: number): StripPlace[] {
  const count = Number(MISSED.exec(message)?.[1] ?? 0) - named;
  return Array.from({ length: Math.min(Math.max(0, count), MOST_MISSED) }, (_, place) => ({
    key: `missed ${at} ${place}`,
    fate: 'missed' as const,
    isLate: false,
    message: count > MOST_MISSED ? `one of about ${count} missed starts` : 'a missed start',
    start: null,
    why: { message: NOTHING_DECIDED, rule: null },
  }));
}

const NOTHING_DECIDED =
  'No decision was made at that time: the CronJob was suspended, or Jobledger or the cluster was not available. If several starts were missed, only the last missed start is made up for.';

/** The place of a start that a decision has skipped. */
function skippedPlace({ scheduled_at: at, rule, message }: SkippedStart): StripPlace {
  return {
    key: `skipped ${at}`,
    fate: 'skipped',
    isLate: false,
    message: `${localMinute(at)}: ${FATES.skipped}`,
    start: null,
    why: { message: `The start of ${localMinute(at)} was skipped: ${skippedText(message)}`, rule },
  };
}

/**
 * The reason for a skipped start, as a sentence for a known message of the core (workflows/cron-job/decide/start.ts),
 * and otherwise the message itself.
 */
function skippedText(message: string): string {
  const [, seconds] = /more than (\d+) s late/.exec(message) ?? [];
  if (seconds !== undefined)
    return `the Job could not begin within ${seconds} s, which is the deadline of the CronJob.`;
  if (message.includes('waits for the running Job'))
    return 'the previous Job was still running, and Jobs of this CronJob may not overlap.';
  if (message.includes('another Job has the name')) return 'another Job already has its name.';
  if (message.includes('whether it created'))
    return 'the API server was restored, and it is not known whether the start had created its Job.';
  return message;
}

/** The place of a start that was decided. */
function stripPlace(start: CronJobStart): StripPlace {
  const { scheduled_at: at, job_name: name, message, error } = start;
  const fate = startFate(start);
  const isLate = Number(LATE.exec(message)?.[1] ?? 0) >= LATE_S;
  return {
    key: `${at} ${name}`,
    fate,
    isLate,
    message: `${at === null ? '' : localMinute(at)}: ${FATES[fate]}${isLate ? ', late' : ''}`,
    start,
    why:
      fate === 'not-started'
        ? {
            message: `The Job ${name} was not created: ${error ?? 'the API server has not answered yet'}.`,
            rule: null,
          }
        : null,
  };
}

/** The place of a coming start. */
function comingPlace(at: string, zone: string | null): StripPlace {
  return {
    key: `coming ${at}`,
    fate: 'coming',
    isLate: false,
    message: `${FATES.coming}: ${localMinute(at)}${inZone(at, zone)}`,
    start: null,
    why: null,
  };
}

/** The time in brackets on the clocks of the schedule's time zone; empty if the zone is unknown. */
function inZone(at: string, zone: string | null): string {
  const time = timeInZone(at, zone);
  return time === null ? '' : ` (${time})`;
}

/** The label of each fate. */
export const FATES: Record<ShownFate, string> = {
  succeeded: 'succeeded',
  failed: 'failed',
  running: 'runs',
  deleted: 'deleted before its end',
  'not-started': 'the Job was not created',
  skipped: 'skipped',
  missed: 'missed',
  coming: 'coming',
};

/** The fate of a start, from the state of its Job. */
function startFate({
  status,
  error,
  result,
  finished_at: finished,
  deleted_at: deleted,
}: CronJobStart): ShownFate {
  if (status === 'Succeeded') return 'succeeded';
  if (status === 'Failed') return 'failed';
  if (status === null && (error !== null || result === null)) return 'not-started';
  if (finished === null && deleted !== null) return 'deleted';
  return 'running';
}

/** The remark about a start that was late, or that followed missed starts; empty for most starts. */
export function startRemark({ message, error }: CronJobStart): string {
  return (
    error ??
    message
      .replace(/^the start of \S+?Z(?:[,;] )?/, '')
      .replace(LATE, (_, seconds) => `${duration(Number(seconds) * 1000)} late`)
  );
}
