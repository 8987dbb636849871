import type { CronOutcomeRecorded, CronJobDecided } from '../../cron-job/events.ts';
import type { StartRecord } from '../why-start/start-record.ts';

/** A start whose Job was created. Instants in milliseconds. */
export interface CreatedStart {
  scheduledAt: number;
  job: string;
  /** The time and the id of the decision that created the Job. */
  at: number;
  decision: string;
}

/** A Job that was replaced by a later start while it ran. */
export interface Replacement {
  at: number;
  /** The start that replaced this start. */
  by: string;
}

/** The starts in a record, which is the record of the CronJob or of a counterfactual run. */
export interface Starts {
  /** The starts by the time of the schedule. */
  created: ReadonlyMap<number, CreatedStart>;
  /** The starts by the name of the replaced Job. */
  replaced: ReadonlyMap<string, Replacement>;
}

export type OutcomesOf = (decision: string, command: number) => CronOutcomeRecorded['data']['outcome'] | null;

/** Finds the outcome of a command by its decision and number. */
export function outcomesIn({ events }: Pick<StartRecord, 'events'>): OutcomesOf {
  const outcomes = new Map<string, CronOutcomeRecorded['data']['outcome']>();
  for (const event of events)
    if (event.type === 'outcome.recorded')
      outcomes.set(`${event.data.decision} ${event.data.command}`, event.data.outcome);
  return (decision, command) => outcomes.get(`${decision} ${command}`) ?? null;
}

/** The starts in a record, by time, with their replacements. */
export function startsIn(record: StartRecord): Starts {
  const outcomes = outcomesIn(record);
  const attempts = new Map<number, Attempt[]>();
  for (const attempt of record.effective.flatMap((decision) => attemptIn(decision, outcomes)))
    attempts.set(attempt.scheduledAt, [...(attempts.get(attempt.scheduledAt) ?? []), attempt]);
  const deleted = new Set(
    record.events.flatMap((event) => (event.type === 'job.deleted' ? [event.data.childUid] : [])),
  );
  const observed = new Set(
    record.events.flatMap((event) =>
      event.type === 'job.observed' ? [event.data.object.metadata.name] : [],
    ),
  );
  const created = [...attempts.values()].flatMap((each) => creatingAttempt(each, observed) ?? []);
  return {
    created: new Map(created.map((start) => [start.scheduledAt, start])),
    replaced: new Map(record.effective.flatMap((decision) => replacementsIn(decision, outcomes, deleted))),
  };
}

interface Attempt extends CreatedStart {
  /**
   * `open` means that the outcome is not recorded or is unknown, so a later attempt may find that this attempt had
   * created the Job.
   */
  result: 'created' | 'existed' | 'open' | 'none';
}

/** The attempts of a decision to create Jobs. */
function attemptIn({ id, data }: CronJobDecided, outcomes: OutcomesOf): Attempt[] {
  return data.commands.flatMap((command, at): Attempt[] => {
    if (command.kind !== 'CreateJob') return [];
    const start = {
      scheduledAt: Date.parse(command.scheduledAt),
      job: command.name,
      at: data.now,
      decision: id,
    };
    const outcome = outcomes(id, at);
    if (outcome === null) return [{ ...start, result: 'open' }];
    if (outcome.kind === 'CreateJob' && outcome.result === 'unknown') return [{ ...start, result: 'open' }];
    if (outcome.kind !== 'CreateJob' || outcome.result !== 'created') return [{ ...start, result: 'none' }];
    return [{ ...start, result: outcome.existing === true ? 'existed' : 'created' }];
  });
}

/** The attempt that created the Job (J-9.38); an attempt without an outcome counts only if the Job was observed. */
function creatingAttempt(attempts: readonly Attempt[], observed: ReadonlySet<string>): CreatedStart | null {
  const seen = attempts.find(({ result }) => result === 'created' || result === 'existed');
  const open = attempts.findLast(
    ({ result, at, job }) => result === 'open' && (seen === undefined ? observed.has(job) : at <= seen.at),
  );
  const start = seen?.result === 'created' ? seen : (open ?? seen);
  if (start === undefined) return null;
  const { result: _result, ...created } = start;
  return created;
}

/**
 * The Jobs that a decision replaced, by their names; when the outcome is missing, a Job counts as replaced if it was
 * deleted.
 */
function replacementsIn(
  { id, data }: CronJobDecided,
  outcomes: OutcomesOf,
  deleted: ReadonlySet<string>,
): [string, Replacement][] {
  const start = data.commands.find((command) => command.kind === 'CreateJob');
  return data.commands.flatMap((command, at) => {
    if (command.kind !== 'ReplaceJobs' || start === undefined) return [];
    const outcome = outcomes(id, at);
    const done =
      outcome?.kind === 'ReplaceJobs'
        ? outcome.jobs.filter(({ result }) => result === 'done')
        : command.jobs.filter(({ uid }) => outcome === null && deleted.has(uid));
    return done.map(({ name }): [string, Replacement] => [name, { at: data.now, by: start.name }]);
  });
}
