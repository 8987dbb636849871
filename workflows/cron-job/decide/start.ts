import { sendOnly } from '../../decision/verdict.ts';
import { apiTime, parseInstant, isoTime } from '../../ledger/instants.ts';
import type { Reason } from '../../decision/reason.ts';
import type { CronCommand, CronJobEventText, StartPreconditions } from '../commands.ts';
import type { CronJobFacts } from '../facts.ts';
import { startName } from '../definitions/start-name.ts';
import { NOT_PROVEN } from '../definitions/unknown-start.ts';
import { quoted } from '../schedule/go-text.ts';
import { mostRecent, nextAfter, NO_INTERVAL, type MostRecent } from '../schedule/most-recent.ts';
import type { Schedule } from '../schedule/parse-schedule.ts';
import { localTime, type KnownZone } from '../schedule/zone.ts';
import type { CronJobState, UnprovenStart } from '../state.ts';
import { unlessHeldBack, type CronPlan } from './hold-back.ts';
import { lastStart } from './look-ups.ts';
import { waitForUnknown } from './unknown-start.ts';
import type { CronSituation } from './situation.ts';
import { readSchedule, zoneRules } from './zones.ts';

/** The delay guards against clock skew (J-9.45). */
const NEXT_DELAY_MS = 100;
/** A warning reports more missed times than this number (J-9.33). */
const MANY = 100;

/** The plan for starts, without the status; its Events are sent when a wait begins or a Job is created. */
export interface CronStartPlan extends CronPlan {
  /** The most recent time, in milliseconds; null when no time is due. */
  due: number | null;
  events: CronJobEventText[];
}

/** Decides whether a Job must be started now; the checks have the order of Kubernetes (J-9.32 to J-9.38). */
export function planStart(at: CronSituation): CronStartPlan {
  const { state, cronJob, now, settings } = at;
  const { spec } = cronJob;
  if (cronJob.deleting) return waitWith('J-9.32', 'the CronJob is being deleted');
  // The Jobs in the status of the CronJob may run again.
  if (state.versions.cronJob === '')
    return waitWith('J-9.38', 'its API server was restored: waits until the CronJob is seen again');
  const unknown = waitForUnknown(at);
  if (unknown !== null) return { ...unknown, due: null, events: [] };
  const rules = zoneRules(cronJob, settings);
  if ('missing' in rules)
    return waitWith('J-9.4', `the rules of the time zone ${rules.missing} are not known`);
  const { schedule: zone, field } = rules;
  if ('unknown' in field) {
    const message = `invalid timeZone: ${quoted(field.name)}: ${field.unknown}`;
    return waitWith('J-9.32', message, null, [toWarning('UnknownTimeZone', message)]);
  }
  if (spec.suspend === true) return waitWith('J-9.32', 'the CronJob is suspended');
  if (state.hold !== null && (state.hold.until === null || now < state.hold.until))
    return waitWith('J-9.11', changedText(state.hold.until), state.hold.until);
  const parsed = readSchedule(cronJob, zone);
  if ('error' in parsed || 'unknown' in zone)
    return waitForValidSchedule(state, cronJob, 'error' in parsed ? parsed.error : '');
  const timing = { ...at, schedule: parsed.schedule, zone, field };
  if (state.rescheduled) return waitForNewSchedule(timing);
  const wanted = startOrWait(timing);
  const plan = unlessHeldBack(at, wanted, { ...wanted, commands: [], events: [] });
  return {
    ...plan,
    events: [...unsupportedZoneEvents(cronJob), ...unprovenStartEvents(state), ...plan.events],
  };
}

/**
 * The Event about a start that is left out; the Event is sent once, even when the deadline of the start has passed or
 * the next start is due (J-9.38).
 */
function unprovenStartEvents({ unproven }: CronJobState): CronJobEventText[] {
  if (unproven === null || unproven.reported === true) return [];
  const at = isoTime(parseInstant(unproven.scheduledAt) ?? 0);
  return [toWarning(NOT_PROVEN, `the start of ${at} ${leftOutText(unproven)}`)];
}

/** The text about a start that is left out because a restore of the API server hides whether its Job was created. */
function leftOutText({ name }: UnprovenStart): string {
  return `is left out: whether it created the Job ${name} before the API server was restored is not known`;
}

/** A situation in which the schedule is valid and the rules of its time zones are known. */
interface Timing extends CronSituation {
  schedule: Schedule;
  /** The zone of the schedule. */
  zone: KnownZone;
  /** The zone of the field `timeZone`. */
  field: KnownZone;
}

/** The plan for the most recent time of the schedule: a start, or a wait with its reason. */
function startOrWait(timing: Timing): CronStartPlan {
  const { state, cronJob, status, now, schedule, zone, field } = timing;
  const { startingDeadlineSeconds: deadline, concurrencyPolicy } = cronJob.spec;
  const last = lastStart(status, cronJob.createdAt);
  const since = deadline === undefined ? last : Math.max(last, now - deadline * 1000);
  const recent = mostRecent(schedule, zone, { since, now });
  if (recent === null) {
    const message = `invalid schedule: ${cronJob.spec.schedule} : ${NO_INTERVAL}`;
    return waitWith('J-9.33', message, null, [toWarning('InvalidSchedule', message)]);
  }
  const next = nextDecisionAt(timing);
  if (recent.time === null) return { ...waitForNext(timing, next), due: null };
  const many = recent.missed > MANY ? [toWarning('TooManyMissedTimes', TOO_MANY)] : [];
  const due = recent.time;
  /** The plan that waits instead of starting the due Job, with the reason. */
  const waitInstead = (
    rule: Reason['rule'],
    message: string,
    events: CronJobEventText[] = [],
  ): CronStartPlan => ({
    ...waitWith(rule, `the start of ${isoTime(due)} ${message}`, next, [...many, ...events]),
    due,
  });
  const name = startName(cronJob.name, due);
  const active = status.active ?? [];
  // The due time is later than the last start by J-9.40, so only the name can show that the start was already made.
  if (active.some((each) => each.name === name)) return waitInstead('J-9.35', 'has its Job already');
  if (parseInstant(state.taken) === due)
    return waitInstead('J-9.38', `is left out: another Job has the name ${name}; ${nextText(next)}`);
  if (state.unproven !== null && parseInstant(state.unproven.scheduledAt) === due)
    return waitInstead('J-9.38', `${leftOutText(state.unproven)}; ${nextText(next)}`);
  if (concurrencyPolicy === 'Forbid' && active.length > 0)
    return waitInstead('J-9.36', 'waits for the running Job (Forbid)', [FORBIDDEN]);
  const preconditions = startPreconditions(cronJob, due);
  const commands: CronCommand[] = [];
  if (concurrencyPolicy === 'Replace' && active.length > 0) {
    const message = `replaced by the start of ${isoTime(due)}`;
    const jobs = active.map((each) => ({ uid: each.uid, name: each.name }));
    commands.push({ kind: 'ReplaceJobs', jobs, preconditions, why: { rule: 'J-9.37', message } });
  }
  const annotation = localTime(field, due);
  const why: Reason = { rule: 'J-9.38', message: startText(recent, due, now) };
  commands.push({ kind: 'CreateJob', name, scheduledAt: apiTime(due), annotation, preconditions, why });
  return { ...sendOnly(...commands), due, events: many, heldWith: ['ReplaceJobs', 'CreateJob'] };
}

/** The values of the CronJob on which a start is decided. */
function startPreconditions({ generation, spec }: CronJobFacts, due: number): StartPreconditions {
  const { startingDeadlineSeconds: seconds } = spec;
  return { generation, deadline: seconds === undefined ? null : due + seconds * 1000 };
}

const TOO_MANY =
  'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
const FORBIDDEN: CronJobEventText = {
  type: 'Normal',
  reason: 'JobAlreadyActive',
  message: 'Not starting job because prior execution is running and concurrency policy is Forbid',
};

/** The reason for a start as text; it names a lateness of more than a second, and missed times. */
function startText({ missed }: MostRecent, due: number, now: number): string {
  const late = Math.floor((now - due) / 1000);
  const lateness = late > 0 ? `, ${late} s late` : '';
  return `the start of ${isoTime(due)}${lateness}${missed > 1 ? `; about ${missed - 1} before it were missed` : ''}`;
}

/** Waits for the next time; the message names a time that is skipped because its deadline has passed (J-9.34). */
function waitForNext({ cronJob, status, now, schedule, zone }: Timing, next: number | null): CronStartPlan {
  const since = lastStart(status, cronJob.createdAt);
  const skipped = mostRecent(schedule, zone, { since, now })?.time ?? null;
  if (skipped === null) return waitWith('J-9.45', nextText(next), next);
  const { startingDeadlineSeconds = 0 } = cronJob.spec;
  const message = `the start of ${isoTime(skipped)} is skipped: more than ${startingDeadlineSeconds} s late; ${nextText(next)}`;
  return waitWith('J-9.34', message, next);
}

/** The next start as text. */
function nextText(next: number | null): string {
  return next === null ? 'no next start' : `next start at ${isoTime(next - NEXT_DELAY_MS)}`;
}

/** The time of the next decision about a start, computed without the deadline (J-9.45); null when no time follows. */
function nextDecisionAt({ cronJob, status, now, schedule, zone }: Timing): number | null {
  const next = nextAfter(schedule, zone, { since: lastStart(status, cronJob.createdAt), now });
  return next === null ? null : next + NEXT_DELAY_MS;
}

/** Waits for the first time of a changed schedule: no missed start is made up after the change (J-9.11). */
function waitForNewSchedule(timing: Timing): CronStartPlan {
  const next = nextDecisionAt(timing);
  return waitWith('J-9.11', changedText(next), next);
}

/** The text about a changed schedule with its next start. */
function changedText(next: number | null): string {
  return `the schedule has changed, ${nextText(next)}`;
}

/** Waits for a change of a schedule that cannot be parsed, and reports the error. */
function waitForValidSchedule(state: CronJobState, cronJob: CronJobFacts, error: string): CronStartPlan {
  const { schedule } = cronJob.spec;
  if (state.rescheduled) {
    const message = `unparseable schedule for cronjob: ${schedule}`;
    return waitWith('J-9.11', changedText(null), null, [toWarning('UnParseableCronJobSchedule', message)]);
  }
  const message = `unparseable schedule: ${quoted(schedule)} : ${error}`;
  return waitWith('J-9.32', message, null, [
    ...unsupportedZoneEvents(cronJob),
    toWarning('UnparseableSchedule', message),
  ]);
}

/** The warning about a time zone within the schedule, which Kubernetes does not support. */
function unsupportedZoneEvents({ spec: { schedule } }: CronJobFacts): CronJobEventText[] {
  if (!schedule.includes('TZ')) return [];
  const page = 'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/';
  const message = `CRON_TZ or TZ used in schedule ${quoted(schedule)} is not officially supported, see ${page} for more details`;
  return [toWarning('UnsupportedSchedule', message)];
}

function toWarning(reason: string, message: string): CronJobEventText {
  return { type: 'Warning', reason, message };
}

/** A plan without commands, with the reason to wait and the time of the next decision. */
function waitWith(
  rule: Reason['rule'],
  message: string,
  until: number | null = null,
  events: CronJobEventText[] = [],
): CronStartPlan {
  return { commands: [], nextDecisionAt: until, waiting: { rule, message }, due: null, events };
}
