import type { CronCarryOutInput } from '../../../../workflows/activities.ts';
import type { CronCommand } from '../../../../workflows/cron-job/commands.ts';
import type { CronOutcomeRecorded, WatchPassed } from '../../../../workflows/cron-job/events.ts';
import { CRON_JOB } from '../../../../workflows/cron-job/kind.ts';
import { creationSkew, outcomeEvents } from '../../../../workflows/cron-job/outcome-events.ts';
import type { CronOutcome } from '../../../../workflows/cron-job/outcomes.ts';
import { computeDigest } from '../../../../workflows/ledger/digest.ts';
import type { Unstamped } from '../../../../workflows/ledger/recorded-event.ts';
import { pause } from '../../../adapters/waiting/pause.ts';
import type { WatchedVersion } from '../../../shards/watched.ts';
import type { CountRules } from '../../metrics.ts';
import { carryOut, type Actions, type Attempt, type CarryOutDependencies } from '../carry-out.ts';
import { emitEvents } from '../emit-events.ts';
import { awaitWatch } from './await-watch.ts';
import { createJob } from './create-job.ts';
import type { AnyCronOutcome, CronContext } from './cron-context.ts';
import { deleteJobs, replaceJobs } from './delete-jobs.ts';
import { createReadLiveOnce } from './live-cron-job.ts';
import { lookUpCronJob, lookUpJobs } from './look-up.ts';
import { outcomeAfterNoAnswer } from './no-answer.ts';
import { writeStatus } from './write-status.ts';

export interface CronJobDependencies extends CarryOutDependencies {
  /** The ledger's position in the watch of a namespace's Jobs. */
  watched: (namespace: string, signal: AbortSignal) => Promise<WatchedVersion | null>;
  countRules: CountRules;
  /** Called for each created Job with its skew, in seconds (J-11.4). */
  onCreated: (skew: number) => void;
}

/** The component in the Events is the component of the controller that Jobledger replaces (J-7.4). */
const COMPONENT = 'cronjob-controller';

/** Carries out a decision about a CronJob (the port's `carryOutCronJob`). */
export function carryOutCronJob(
  dependencies: CronJobDependencies,
  order: CronCarryOutInput,
  attempt: Attempt<Unstamped<CronOutcomeRecorded>>,
): Promise<Unstamped<CronOutcomeRecorded>[]> {
  const { id: decision, data } = order.decided;
  const context = createCronContext(dependencies, order, attempt);
  const { resourceVersion = '' } = data.commands.find((command) => command.kind === 'WriteStatus') ?? {};
  const emission = {
    ...dependencies,
    ...context,
    component: COMPONENT,
    kind: 'CronJob',
    resourceVersion,
  } as const;
  const actions: Actions<CronCommand, CronOutcome> = {
    send: (command) => carryOutCommand(context, command),
    skip: (command) => outcomeOfSkipped(context, command),
    isLast: (_command, outcome) => hasFailed(outcome),
    async report(command, outcome, at) {
      const isSent = command.kind === 'EmitEvents' && outcome.kind !== 'skipped';
      const events = isSent ? command.events : outcomeEvents(command, outcome);
      await emitEvents({ ...emission, eventKey: { decision, now: data.now, command: at } }, events);
      const skew = creationSkew(command, outcome);
      if (skew !== null) dependencies.onCreated(skew);
    },
    ended: () => void dependencies.countRules(order.decided),
  };
  return carryOut(dependencies, CRON_JOB, order, actions, attempt);
}

function createCronContext(
  { client, appender, now, watched }: CronJobDependencies,
  { job, decided }: Pick<CronCarryOutInput, 'job' | 'decided'>,
  { number, signal }: Pick<Attempt<never>, 'number' | 'signal'>,
): CronContext {
  const context = {
    client,
    job,
    signal,
    attempt: number,
    now,
    pause: (ms: number) => pause(ms, signal),
    watched: () => watched(job.namespace, signal),
    recordPassed: (version: WatchedVersion) =>
      appender.append([{ ...watchPassedEvent(decided, version), time: new Date(now()).toISOString() }]),
  };
  return { ...context, live: createReadLiveOnce(context) };
}

/**
 * The event that the watch has passed a version. The id of the event is derived from the version, so that repeated
 * records are one event.
 */
function watchPassedEvent(
  { source, subject, data: { cluster, cronJobUid } }: CronCarryOutInput['decided'],
  { resourceVersion, epoch }: WatchedVersion,
): Unstamped<WatchPassed> {
  const resource = 'jobs';
  const inEpoch = epoch === undefined ? '' : `/epoch/${epoch}`;
  const data = {
    cluster,
    cronJobUid,
    resource,
    resourceVersion,
    ...(epoch !== undefined && { epoch }),
  } as const;
  const id = `${cluster}/${cronJobUid}/watch/${resource}/${resourceVersion}${inEpoch}`;
  return { id, type: 'watch.passed', source, subject, digest: computeDigest(data), data };
}

/**
 * The outcome of a skipped command. An earlier attempt may have sent a creation before it reported the preceding
 * commands, so the Job of the creation is looked up first.
 */
async function outcomeOfSkipped(context: CronContext, command: CronCommand): Promise<AnyCronOutcome> {
  if (command.kind === 'CreateJob' && context.attempt > 1) return outcomeAfterNoAnswer(context, command);
  return { kind: 'skipped' };
}

function carryOutCommand(context: CronContext, command: CronCommand): Promise<AnyCronOutcome> {
  switch (command.kind) {
    case 'CreateJob':
      return createJob(context, command);
    case 'DeleteJobs':
      return deleteJobs(context, command);
    case 'ReplaceJobs':
      return replaceJobs(context, command);
    case 'WriteStatus':
      return writeStatus(context, command);
    case 'EmitEvents':
      return Promise.resolve({ kind: 'EmitEvents' });
    case 'LookUpCronJob':
      return lookUpCronJob(context);
    case 'LookUpJobs':
      return lookUpJobs(context, command);
    case 'AwaitWatch':
      return awaitWatch(context, command);
  }
}

/** True when a command failed, so that the later commands of the decision, which assumed its success, are skipped. */
export function hasFailed(outcome: CronOutcome): boolean {
  if (outcome.kind === 'skipped' || outcome.kind === 'stale') return true;
  if (outcome.kind === 'DeleteJobs') return false;
  if ('jobs' in outcome) return outcome.jobs.some(({ result }) => result === 'failed');
  return 'result' in outcome && ['failed', 'conflict', 'gone', 'unknown'].includes(outcome.result);
}
