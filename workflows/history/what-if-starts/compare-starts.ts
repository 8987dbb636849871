import { isoTime } from '../../ledger/instants.ts';
import type { StartRecord } from '../why-start/start-record.ts';
import type { CounterfactualStarts } from './counterfactual-starts.ts';
import { REACTION_MS } from './outages.ts';
import { startsIn, type CreatedStart, type Replacement, type Starts } from './recorded-starts.ts';
import type { ComparedStart, StartFate } from './types.ts';
import type { CronJobEvent } from '../../cron-job/events.ts';
import { attemptsFor } from '../why-start/attempts.ts';
import { whyNone } from '../why-start/why-none.ts';

/** Each time of the schedule at which a Job was started or would have been, in order. */
export function compareStarts(record: StartRecord, run: CounterfactualStarts): ComparedStart[] {
  const [actual, counterfactual] = [startsIn(record), startsIn(run.record)];
  const { unknown } = run;
  const whyNot = { actual: reasonsIn(record), counterfactual: reasonsIn(run.record) };
  const times = new Set([...actual.created.keys(), ...counterfactual.created.keys()]);
  if (unknown !== null) times.add(unknown.scheduledAt);
  return [...times]
    .toSorted((a, b) => a - b)
    .map((scheduledAt) => {
      const [was, would] = [startLife(actual, scheduledAt), startLife(counterfactual, scheduledAt)];
      const compared =
        would === null && unknown !== null && scheduledAt >= unknown.scheduledAt
          ? unknownStart(was, unknown.message)
          : compareLives({ scheduledAt, was, would, whyNot, perhapsReplaced: run.perhapsReplaced });
      return {
        scheduledAt: isoTime(scheduledAt),
        job: (was ?? would)?.start.job ?? '',
        ...compared,
        actual: startFate(was),
        counterfactual: compared.result === 'unknown' && would === null ? null : startFate(would),
      };
    });
}

interface StartLife {
  start: CreatedStart;
  replaced: Replacement | null;
}

type Compared = Pick<ComparedStart, 'result' | 'message'>;

/** The start at this time of the schedule with its replacement; null when no Job was started. */
function startLife({ created, replaced }: Starts, scheduledAt: number): StartLife | null {
  const start = created.get(scheduledAt);
  return start === undefined ? null : { start, replaced: replaced.get(start.job) ?? null };
}

/** The result of a start: when its Job was created and when it was replaced. */
function startFate(life: StartLife | null): StartFate {
  return {
    startedAt: life === null ? null : isoTime(life.start.at),
    replacedAt: life === null || life.replaced === null ? null : isoTime(life.replaced.at),
  };
}

/** The comparison of a start about which this run knows nothing. */
function unknownStart(was: StartLife | null, message: string): Compared {
  return { result: 'unknown', message: was === null ? `not started; ${message}` : message };
}

interface Comparison {
  scheduledAt: number;
  was: StartLife | null;
  would: StartLife | null;
  whyNot: { actual: ReasonFor; counterfactual: ReasonFor };
  perhapsReplaced: CounterfactualStarts['perhapsReplaced'];
}

/** Compares a recorded start with the start under the change. */
function compareLives({ scheduledAt, was, would, whyNot, perhapsReplaced }: Comparison): Compared {
  if (would === null) return { result: 'skipped', message: whyNot.counterfactual(scheduledAt) };
  const perhaps = perhapsReplaced.has(would.start.job);
  if (was === null) {
    const replaced = replacedText(would, perhaps);
    return {
      result: 'added',
      message: [`it was not started: ${whyNot.actual(scheduledAt)}`, ...replaced].join('; '),
    };
  }
  const difference = would.start.at - was.start.at;
  const replaced = isSameReplacement(was, would)
    ? []
    : [...keptText(was, would), ...replacedText(would, perhaps)];
  if (Math.abs(difference) >= REACTION_MS) {
    const result = difference < 0 ? 'earlier' : 'later';
    return { result, message: [`by ${wholeSeconds(difference)} s`, ...replaced].join('; ') };
  }
  if (replaced.length === 0) return { result: 'same', message: '' };
  const result = perhaps ? 'unknown' : would.replaced === null ? 'kept' : 'replaced';
  return { result, message: replaced.join('; ') };
}

/** True when both starts were replaced at the same time, or neither was. */
function isSameReplacement({ replaced: one }: StartLife, { replaced: other }: StartLife): boolean {
  if (one === null || other === null) return one === other;
  return Math.abs(one.at - other.at) < REACTION_MS;
}

/** The text about a start that is not replaced under the change. */
function keptText({ replaced }: StartLife, would: StartLife): string[] {
  return replaced === null || would.replaced !== null ? [] : [`not replaced by ${replaced.by}`];
}

/** The text about a start that is replaced; `perhaps` is true when this depends on an unknown duration. */
function replacedText({ replaced }: StartLife, perhaps: boolean): string[] {
  if (replaced === null) return [];
  return [`replaced by ${replaced.by} at ${isoTime(replaced.at)}${perhaps ? ', if it still ran' : ''}`];
}

/** The number of seconds in a difference, rounded. */
function wholeSeconds(milliseconds: number): number {
  return Math.round(Math.abs(milliseconds) / 1000);
}

/** The reason why no Job was created for a time of the schedule, in milliseconds, in the words of `why --start`. */
type ReasonFor = (scheduledAt: number) => string;

/** Finds the reasons in a record; the record is searched once, not for each start. */
function reasonsIn(record: StartRecord): ReasonFor {
  const tried = new Set(
    record.effective.flatMap(({ data }) =>
      data.commands.flatMap((each) => (each.kind === 'CreateJob' ? [Date.parse(each.scheduledAt)] : [])),
    ),
  );
  const short = { events: specsIn(record.events), effective: record.effective };
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
