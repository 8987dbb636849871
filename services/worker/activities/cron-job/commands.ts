import type { CronCarryOutInput } from '../../../../workflows/activities.ts';
import type { CronCommand } from '../../../../workflows/cron-job/commands.ts';
import type { WatchPassed } from '../../../../workflows/cron-job/events.ts';
import { creationSkew, outcomeEvents } from '../../../../workflows/cron-job/outcome-events.ts';
import type { CronOutcome } from '../../../../workflows/cron-job/outcomes.ts';
import { computeDigest } from '../../../../workflows/ledger/digest.ts';
import type { Unstamped } from '../../../../workflows/ledger/recorded-event.ts';
import type { Appender } from '../../../adapters/kafka/append.ts';
import type { Log } from '../../../adapters/process/log.ts';
import { pause } from '../../../adapters/waiting/pause.ts';
import type { WatchedVersion } from '../../../shards/watched.ts';
import type { CommandTable } from '../../command/command-table.ts';
import { emitEvents } from '../../command/emit-events.ts';
import type { Attempt } from '../attempt/progress.ts';
import { awaitWatch } from './await-watch.ts';
import { createJob } from './create-job.ts';
import type { AnyCronOutcome, CronContext } from './cron-context.ts';
import { deleteJobs, replaceJobs } from './delete-jobs.ts';
import { createReadLiveOnce } from './live-cron-job.ts';
import { lookUpCronJob, lookUpJobs } from './look-up.ts';
import { outcomeAfterNoAnswer } from './no-answer.ts';
import { writeStatus } from './write-status.ts';

/** The component in the Events is the component of the controller that Jobledger replaces (J-7.4). */
const COMPONENT = 'cronjob-controller';

/** The context of the commands of one attempt, with the values that their Events need. */
interface CronCommandContext extends CronContext {
  log: Log;
  /** The version of the CronJob that the decision knew; empty when the decision writes no status. */
  resourceVersion: string;
  /** Called for a created Job with its skew, in seconds (J-11.4). */
  onCreated: (skew: number) => void;
}

/** The commands about a CronJob. */
export const CRON_JOB_COMMANDS: CommandTable<CronCommandContext, CronCommand, CronOutcome> = {
  send: {
    CreateJob: createJob,
    DeleteJobs: deleteJobs,
    ReplaceJobs: replaceJobs,
    WriteStatus: writeStatus,
    EmitEvents: () => Promise.resolve({ kind: 'EmitEvents' }),
    LookUpCronJob: lookUpCronJob,
    LookUpJobs: lookUpJobs,
    AwaitWatch: awaitWatch,
  },
  skip: outcomeOfSkipped,
  endsLane: (_command, outcome) => hasFailed(outcome),
  async report(context, command, outcome) {
    const isSent = command.kind === 'EmitEvents' && outcome.kind !== 'skipped';
    const events = isSent ? command.events : outcomeEvents(command, outcome);
    await emitEvents({ ...context, component: COMPONENT, kind: 'CronJob' }, events);
    const skew = creationSkew(command, outcome);
    if (skew !== null) context.onCreated(skew);
  },
};

/**
 * The outcome of a skipped command. An earlier attempt may have sent a creation before it reported the preceding
 * commands, so the Job of the creation is looked up first.
 */
async function outcomeOfSkipped(context: CronContext, command: CronCommand): Promise<AnyCronOutcome> {
  if (command.kind === 'CreateJob' && context.attempt > 1) return outcomeAfterNoAnswer(context, command);
  return { kind: 'skipped' };
}

/** True when a command failed, so that the later commands of the decision, which assumed its success, are skipped. */
export function hasFailed(outcome: CronOutcome): boolean {
  if (outcome.kind === 'skipped' || outcome.kind === 'stale') return true;
  if (outcome.kind === 'DeleteJobs') return false;
  if ('jobs' in outcome) return outcome.jobs.some(({ result }) => result === 'failed');
  return 'result' in outcome && ['failed', 'conflict', 'gone', 'unknown'].includes(outcome.result);
}

/** The dependencies of the commands about CronJobs. */
export type CronDependencies = Pick<CronCommandContext, 'client' | 'now' | 'log' | 'onCreated'> & {
  appender: Pick<Appender, 'append'>;
  /** The ledger's position in the watch of a namespace's Jobs. */
  watched: (namespace: string, signal: AbortSignal) => Promise<WatchedVersion | null>;
};

/** Creates the context of one attempt, which keeps the CronJob that the attempt reads first. */
export function createCronContext(
  { client, appender, now, watched, log, onCreated }: CronDependencies,
  { job, decided }: Pick<CronCarryOutInput, 'job' | 'decided'>,
  { number, signal }: Pick<Attempt<never>, 'number' | 'signal'>,
): CronCommandContext {
  const { resourceVersion = '' } =
    decided.data.commands.find((command) => command.kind === 'WriteStatus') ?? {};
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
  return { ...context, live: createReadLiveOnce(context), log, onCreated, resourceVersion };
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
