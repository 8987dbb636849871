import type { CronJobEvent } from '../../cron-job/events.ts';
import { isoTime } from '../../ledger/instants.ts';
import { effectiveDecisions } from '../../decision/folding.ts';
import { refusal, type Refused } from '../refused.ts';
import { findBreak } from '../verify/break-in.ts';
import { commandCauseId, waitingCauseId } from '../why/cause-id.ts';
import { decidedWaits } from '../why/decided-waits.ts';
import type { Why, WhyAnswer } from '../why/types.ts';
import { attemptsFor, startAfter, type StartAttempt } from './attempts.ts';
import { beforeControl } from './before-control.ts';
import { startCauses } from './causes.ts';
import { childFate } from './fate.ts';
import type { StartRecord } from './start-record.ts';
import { whyNone } from './why-none.ts';

/**
 * Explains the start of a CronJob at a time of its schedule, in milliseconds since 1970: why its Job was created, why
 * it was late or replaced another Job, or why no Job was created. `now` is the present, after which no start is due.
 * `events` are the events of the CronJob in ledger order.
 */
export function whyStart(
  events: readonly CronJobEvent[],
  scheduledAt: number,
  now = Infinity,
): Why | Refused {
  const broken = findBreak(events);
  if (broken !== null) return broken;
  const [first] = events;
  if (first === undefined) return refusal('unknown', 'the ledger holds no event of the CronJob');
  const record = { events, effective: effectiveDecisions(events) };
  const attempts = attemptsFor(record, scheduledAt);
  const last = attempts.at(-1);
  const earlier = last === undefined ? beforeControl(record, scheduledAt) : null;
  const answers =
    earlier ??
    (last === undefined || last.result === 'failed' || last.result === 'taken'
      ? [whyNone(record, scheduledAt, { last, now })]
      : creationMessage(record, scheduledAt, last));
  const waits = earlier === null ? waitsFrom(record, scheduledAt, last) : [];
  const roots = [...answers, ...waits].flatMap(({ because }) => because);
  return {
    job: `${first.data.cluster}/${first.subject}`,
    about: `the start of ${isoTime(scheduledAt)}`,
    answers,
    causes: startCauses(record, roots),
    waits,
  };
}

/** The message about a creation without a result. */
const OPEN_WORDS: Partial<Record<StartAttempt['result'], string>> = {
  pending: 'no outcome is recorded',
  unknown: 'the request got no answer',
};

/** The answers about the creation of the Job of a start. */
function creationMessage(
  record: StartRecord,
  scheduledAt: number,
  { decision, command, result }: StartAttempt,
): WhyAnswer[] {
  const asked = decision.data.commands[command];
  if (asked?.kind !== 'CreateJob') return [];
  const because = [commandCauseId(decision.id, command)];
  const created =
    result === 'existed' ? `${asked.name} existed already: an earlier attempt had created it` : asked.name;
  const open = OPEN_WORDS[result];
  return [
    {
      question: 'its Job',
      message: open === undefined ? created : `${asked.name} was to be created; ${open}`,
      because,
    },
    { question: 'why it was created', message: asked.why.message, because },
    ...whyLate(record, scheduledAt, decision.data.now),
    ...decision.data.commands.flatMap((each, at) =>
      each.kind === 'ReplaceJobs'
        ? [
            {
              question: 'what it replaced',
              message: each.jobs.map(({ name }) => name).join(', '),
              because: [commandCauseId(decision.id, at)],
            },
          ]
        : [],
    ),
    ...childFate(record, asked.name),
  ];
}

/**
 * A start is late when it is made more than a second after its time; the guard against clock skew is shorter
 * (J-9.45).
 */
const LATE_MS = 1000;

/** The answers about a late start: the reasons to wait between its time and its creation. */
function whyLate({ effective }: StartRecord, scheduledAt: number, now: number): WhyAnswer[] {
  if (now - scheduledAt < LATE_MS) return [];
  const inBetween = effective.filter(({ data }) => data.now >= scheduledAt && data.now < now);
  const reasons = inBetween.filter(({ data }) => data.waiting !== null);
  const before = effective.findLast(({ data }) => data.now < scheduledAt);
  const held =
    reasons.length > 0 ? reasons : before?.data.waiting?.rule === 'J-9.45' ? [] : [before ?? []].flat();
  if (held.length > 0)
    return [
      {
        question: 'why it was late',
        message: [...new Set(held.map(({ data }) => data.waiting?.message ?? ''))].join('; then '),
        because: held.map(({ id }) => waitingCauseId(id)),
      },
    ];
  const since = before === undefined ? 'the beginning' : isoTime(before.data.now);
  return [
    {
      question: 'why it was late',
      message: `nothing was decided from ${since} to ${isoTime(now)}: the controller did not run, or was behind`,
      because: [],
    },
  ];
}

/** The decisions from the time of the start until its Job, or a later Job, was created. */
function waitsFrom(record: StartRecord, scheduledAt: number, last: StartAttempt | undefined): Why['waits'] {
  const end = last?.decision.data.now ?? startAfter(record, scheduledAt)?.data.now ?? Infinity;
  return decidedWaits(record.effective).filter(
    ({ since, until, rule }) =>
      rule !== 'J-9.45' && Date.parse(since) < end && (until === null || Date.parse(until) > scheduledAt),
  );
}
