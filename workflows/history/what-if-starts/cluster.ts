import type { CronCommand, CronCommandOf } from '../../cron-job/commands.ts';
import type { CronJobDecided, CronJobEvent } from '../../cron-job/events.ts';
import type { CompactedCron } from '../../cron-job/observe/compact.ts';
import type { CronOutcome } from '../../cron-job/outcomes.ts';
import type { ApiFailure } from '../../decision/api-failure.ts';
import type { StartRecord } from '../why-start/start-record.ts';
import { changedEvents } from './changed-spec.ts';
import { createChildren, type Children } from './children.ts';
import { createOwnCronJob, type OwnCronJob } from './own-cron-job.ts';
import { outcomesIn, startsIn, type OutcomesOf, type Starts } from './recorded-starts.ts';
import type { StartChange } from './types.ts';

/**
 * The cluster of a counterfactual run: the CronJob with the change and with the status that this run wrote, and the
 * Jobs that exist in this run. Actions of users and other controllers are the same as in the record; API errors are
 * also the same, at the time of the recorded decision.
 */
export interface Cluster extends Pick<
  Children,
  'nextChange' | 'changesAt' | 'isUncertain' | 'perhapsReplaced'
> {
  /** A recorded fact or outcome, adapted to this run. `fact` is the event as the core folds it. */
  observe(event: CronJobEvent, fact: CompactedCron): CompactedCron[];
  /** Carries a command out. `beside` is the recorded decision of the same time. */
  carryOut(command: CronCommand, at: number, beside: CronJobDecided | null): CommandEffect;
}

export interface CommandEffect {
  outcome: CronOutcome;
  /** The controller died before it received the outcome. */
  lost?: true;
  /** The next observations. */
  facts: CompactedCron[];
}

/** Creates the cluster of a counterfactual run; `end` is the end of the record, in milliseconds. */
export function createCluster(record: StartRecord, change: StartChange, end: number): Cluster {
  let version = 0;
  /** The next resourceVersion of this run. */
  const nextVersion = (): string => String((version += 1));
  const starts = startsIn(record);
  const cronJob = createOwnCronJob(record, change, nextVersion);
  const allows = changedEvents(record.events, change).every(
    (event) =>
      event.type !== 'cronjob.observed' || (event.data.object.spec.concurrencyPolicy ?? 'Allow') === 'Allow',
  );
  const children = createChildren(record, { starts, allows, end, nextVersion });
  const context = { cronJob, children, starts, outcomes: outcomesIn(record), taken: takenNamesIn(record) };
  return {
    ...children,
    observe(event, fact) {
      if (fact.type === 'cronjob.observed') return cronJob.observe(fact.cronJob, fact);
      // The versions of this run are its own, and belong to one epoch. The watch has its recorded version.
      if (fact.type === 'cronjob.deleted') return [withoutEpoch({ ...fact, resourceVersion: nextVersion() })];
      if (fact.type === 'watch.passed') return [withoutEpoch(fact)];
      if (fact.type === 'job.observed')
        return [...children.observe(fact.job, event), watchPassedFact(event, fact.job.resourceVersion)];
      if (fact.type === 'job.deleted')
        return [...children.observeDeletion(fact.uid, event), watchPassedFact(event, fact.resourceVersion)];
      if (fact.type !== 'outcome.recorded') return [];
      const { outcome } = fact.data;
      if (outcome.kind === 'LookUpJobs')
        return outcome.jobs.flatMap((each) =>
          each.result === 'found' && each.job !== undefined ? children.observe(each.job, event) : [],
        );
      return 'cronJob' in outcome && outcome.cronJob !== null ? cronJob.observe(outcome.cronJob, fact) : [];
    },
    carryOut(command, at, beside) {
      const recorded = beside === null ? null : outcomeBeside(command, beside, context.outcomes);
      const lost = beside === null ? null : lostOutcome(command, beside, context);
      if (lost === 'before') return { outcome: { kind: 'skipped', at }, facts: [], lost: true };
      const carried = effectOf(command, at, recorded, context);
      return lost === 'after' ? { ...carried, lost: true } : carried;
    },
  };
}

interface Context {
  cronJob: OwnCronJob;
  children: Children;
  starts: Starts;
  outcomes: OutcomesOf;
  taken: ReadonlySet<string>;
}

/** The outcome of the recorded command of the same kind. */
function outcomeBeside(
  { kind }: CronCommand,
  { id, data }: CronJobDecided,
  outcomes: OutcomesOf,
): CronOutcome | null {
  const command = data.commands.findIndex((each) => each.kind === kind);
  return command < 0 ? null : outcomes(id, command);
}

/** The names of starts whose name belonged to the Job of another controller (J-9.38). */
function takenNamesIn({ effective, events }: StartRecord): Set<string> {
  const outcomes = outcomesIn({ events });
  return new Set(
    effective.flatMap(({ id, data }) =>
      data.commands.flatMap((command, at) => {
        const outcome = command.kind === 'CreateJob' ? outcomes(id, at) : null;
        return command.kind === 'CreateJob' && outcome?.kind === 'CreateJob' && outcome.result === 'taken'
          ? [command.name]
          : [];
      }),
    ),
  );
}

/**
 * The effect of a command in this run; `recorded` is the outcome of the recorded command of the same kind and time.
 */
function effectOf(
  command: CronCommand,
  at: number,
  recorded: CronOutcome | null,
  context: Context,
): CommandEffect {
  const { cronJob, children } = context;
  switch (command.kind) {
    case 'CreateJob':
      return effectOfCreation(command, at, recorded, context);
    case 'ReplaceJobs':
    case 'DeleteJobs': {
      const error = command.kind === 'ReplaceJobs' ? failureIn(recorded) : null;
      const { jobs, facts } = children.remove(command, at, error);
      return { outcome: { kind: command.kind, jobs, at }, facts };
    }
    case 'WriteStatus': {
      if (recorded?.kind === 'WriteStatus' && (recorded.result === 'failed' || recorded.result === 'gone'))
        return { outcome: { ...recorded, at }, facts: [] };
      return {
        outcome: { kind: 'WriteStatus', result: 'written', cronJob: cronJob.write(command.to), at },
        facts: [],
      };
    }
    case 'EmitEvents':
      return { outcome: { kind: 'EmitEvents', at }, facts: [] };
    case 'AwaitWatch': {
      const after = recorded?.kind === 'AwaitWatch' ? recorded.after : (command.resourceVersion ?? '');
      return { outcome: { kind: 'AwaitWatch', result: 'behind', after, reached: null, at }, facts: [] };
    }
    case 'LookUpCronJob': {
      if (recorded?.kind === 'LookUpCronJob' && (recorded.result === 'failed' || recorded.cronJob === null))
        return { outcome: { ...recorded, at }, facts: [] };
      return { outcome: { kind: 'LookUpCronJob', result: 'done', cronJob: cronJob.read(), at }, facts: [] };
    }
    case 'LookUpJobs':
      return {
        outcome: { kind: 'LookUpJobs', jobs: children.lookUp(command.jobs, failureIn(recorded)), at },
        facts: [],
      };
  }
}

/** A fact without its epoch, because all versions of this run belong to one epoch. */
function withoutEpoch<F extends { epoch?: number }>({ epoch: _epoch, ...fact }: F): Omit<F, 'epoch'> {
  return fact;
}

/** The fact that the watch of Jobs has passed a version. */
function watchPassedFact({ id }: CronJobEvent, resourceVersion: string): CompactedCron {
  return { id: `${id}/passed`, digest: '', type: 'watch.passed', resource: 'jobs', resourceVersion };
}

/** The effect of the creation of a Job in this run. */
function effectOfCreation(
  command: CronCommandOf<'CreateJob'>,
  at: number,
  recorded: CronOutcome | null,
  { children, starts, taken }: Context,
): CommandEffect {
  const kind = 'CreateJob';
  if (recorded?.kind === kind && (recorded.result === 'failed' || recorded.result === 'gone'))
    return { outcome: { ...recorded, at }, facts: [] };
  // The request got no answer, and had no effect. Every other attempt with an effect gets an answer in this run.
  if (recorded?.kind === kind && recorded.result === 'unknown')
    if (!starts.created.has(Date.parse(command.scheduledAt)) || isLater(starts, command, at))
      return { outcome: { ...recorded, at }, facts: [] };
  if (taken.has(command.name))
    return { outcome: { kind, result: 'taken', by: 'which something else controls', at }, facts: [] };
  const { job, existing, facts } = children.create(command.name, at);
  const createdAt = new Date(at).toISOString();
  return { outcome: { kind, result: 'created', job, createdAt, ...(existing && { existing }), at }, facts };
}

/** True when the record created the Job of this start later than this run. */
function isLater({ created: all }: Starts, { scheduledAt }: CronCommandOf<'CreateJob'>, at: number): boolean {
  return (all.get(Date.parse(scheduledAt))?.at ?? at) > at;
}

/** The API error in an outcome; a missing Job does not count. */
function failureIn(outcome: CronOutcome | null): ApiFailure | null {
  if (outcome === null || !('jobs' in outcome)) return null;
  for (const job of outcome.jobs)
    if (job.result === 'failed' && job.error.status !== 404 && job.error.status !== 409) return job.error;
  return null;
}

/**
 * The death of the controller of a recorded decision before the outcome of a command was recorded: `before` or
 * `after` the command had an effect; null when the controller did not die.
 */
function lostOutcome(
  command: CronCommand,
  { id, data }: CronJobDecided,
  { outcomes, starts }: { outcomes: OutcomesOf; starts: Starts },
): 'before' | 'after' | null {
  for (const [at, recorded] of data.commands.entries()) {
    if (outcomes(id, at) !== null) continue;
    if (recorded.kind === 'CreateJob' && command.kind === 'CreateJob') {
      if (recorded.scheduledAt !== command.scheduledAt) continue;
      return starts.created.get(Date.parse(command.scheduledAt))?.decision === id ? 'after' : 'before';
    }
    if (recorded.kind === 'ReplaceJobs' && command.kind === 'ReplaceJobs') {
      const both = recorded.jobs.filter(({ uid }) => command.jobs.some((each) => each.uid === uid));
      if (both.length === 0) continue;
      return both.some(({ name }) => starts.replaced.get(name)?.at === data.now) ? 'after' : 'before';
    }
  }
  return null;
}
