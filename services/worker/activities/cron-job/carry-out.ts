import type { CronCarryOutInput } from '../../../../workflows/activities.ts';
import type { CronCommand } from '../../../../workflows/cron-job/commands.ts';
import type { CronCommandAnswered, WatchPassed } from '../../../../workflows/cron-job/events.ts';
import type { Unstamped } from '../../../../workflows/job/events.ts';
import { creationSkew, eventsOf } from '../../../../workflows/cron-job/outcome-events.ts';
import type { CronOutcome } from '../../../../workflows/cron-job/outcomes.ts';
import { outcomeId } from '../../../../workflows/job/record/decision-id.ts';
import { ANSWERS_FROM_LEVEL } from '../../../adapters/events/feature-levels.ts';
import { pause } from '../../../adapters/waiting/pause.ts';
import type { WatchedVersion } from '../../../contracts/watched.ts';
import { digestOf } from '../../../adapters/events/digest.ts';
import type { Appender } from '../../../adapters/kafka/append.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import type { Log } from '../../../adapters/process/log.ts';
import type { CountRules } from '../../metrics.ts';
import { emitEvents } from '../emit-events.ts';
import { inOrder, type AttemptInOrder } from '../in-order.ts';
import { requireOrder } from '../require-order.ts';
import { recordableOutcome } from '../recordable-outcome.ts';
import type { TraceDecision } from '../trace-commands.ts';
import { awaitWatch } from './await-watch.ts';
import { createJob } from './create-job.ts';
import type { AnyCronOutcome, CronContext } from './cron-context.ts';
import { deleteJobs, replaceJobs } from './delete-jobs.ts';
import { lookUpCronJob, lookUpJobs } from './look-up.ts';
import { liveOnce } from './live-cron-job.ts';
import { afterNoAnswer } from './no-answer.ts';
import { writeStatus } from './write-status.ts';

export interface CronCarryOutDependencies {
  client: KubernetesClient;
  appender: Appender;
  log: Log;
  /** The worker's clock, in milliseconds since the epoch. */
  now: () => number;
  /** Absent when nothing is traced. */
  trace?: TraceDecision | undefined;
  /** How far the watch of Jobs of a namespace is in the ledger. */
  watched: (namespace: string, signal: AbortSignal) => Promise<WatchedVersion | null>;
  /** The feature level of the installation. */
  level: () => number;
  countRules: CountRules;
  /** Called with the skew of a Job that was created, in seconds (J-11.4). */
  onCreated: (skew: number) => void;
}

/** The component in the Events: that of the controller that we replace (J-7.4). */
const COMPONENT = 'cronjob-controller';

/** Records the decision, carries out its commands in order, records the outcomes (the port's `carryOutCronJob`). */
export async function carryOutCronJob(
  dependencies: CronCarryOutDependencies,
  { job, folded, decided }: CronCarryOutInput,
  attempt: AttemptInOrder<Unstamped<CronCommandAnswered>>,
): Promise<Unstamped<CronCommandAnswered>[]> {
  const { client, appender, log, now, trace, countRules, onCreated } = dependencies;
  requireOrder({ job, decided }, client.cluster);
  const { signal } = attempt;
  const context = contextOf(dependencies, { job, decided }, attempt);
  const { commands, now: decidedAt } = decided.data;
  const { resourceVersion = '' } = commands.find((command) => command.kind === 'WriteStatus') ?? {};
  const answered = await inOrder<CronCommand, Unstamped<CronCommandAnswered>>(
    { appender, now, trace },
    {
      records: [...folded, decided],
      decided,
      commands,
      async send(command, at, before) {
        const isSkipped = before.some(({ data }) => hasFailed(data.answer));
        const answer = isSkipped ? await skipped(context, command) : await outcomeOf(context, command);
        const outcome: CronOutcome = { ...answer, at: now() };
        const eventKey = { decision: decided.id, now: decidedAt, command: at };
        const events =
          command.kind === 'EmitEvents' && !isSkipped ? command.events : eventsOf(command, outcome);
        const emission = { client, log, now, job, component: COMPONENT, eventKey, signal };
        await emitEvents({ ...emission, kind: 'CronJob', resourceVersion }, events);
        const skew = creationSkew(command, outcome);
        if (skew !== null) onCreated(skew);
        return recorded(decided, at, attempt.number, recordableOutcome(outcome));
      },
    },
    attempt,
  );
  countRules(decided);
  return answered;
}

function contextOf(
  { client, appender, now, watched, level }: CronCarryOutDependencies,
  { job, decided }: Pick<CronCarryOutInput, 'job' | 'decided'>,
  { number, signal }: Pick<AttemptInOrder<never>, 'number' | 'signal'>,
): CronContext {
  const context = {
    client,
    cronJob: job,
    signal,
    attempt: number,
    now,
    pause: (ms: number) => pause(ms, signal),
    answers: level() >= ANSWERS_FROM_LEVEL,
    watched: () => watched(job.namespace, signal),
    recordPassed: (version: WatchedVersion) =>
      appender.append([{ ...passedEvent(decided, version), time: new Date(now()).toISOString() }]),
  };
  return { ...context, live: liveOnce(context) };
}

/** Its id comes from the version, so that it is one event however often it is recorded. */
function passedEvent(
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
  return { id, type: 'watch.passed', source, subject, digest: digestOf(data), data };
}

/** A creation that an earlier attempt may have sent, before it reported the commands before it, is not skipped unseen. */
async function skipped(context: CronContext, command: CronCommand): Promise<AnyCronOutcome> {
  if (command.kind === 'CreateJob' && context.attempt > 1) return afterNoAnswer(context, command);
  return { kind: 'skipped' };
}

function outcomeOf(context: CronContext, command: CronCommand): Promise<AnyCronOutcome> {
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

/** Whether a command failed, so that the rest of the decision, which assumed its success, is skipped. */
export function hasFailed(outcome: CronOutcome): boolean {
  if (outcome.kind === 'skipped' || outcome.kind === 'stale') return true;
  if (outcome.kind === 'DeleteJobs') return false;
  if ('jobs' in outcome) return outcome.jobs.some(({ result }) => result === 'failed');
  return 'result' in outcome && ['failed', 'conflict', 'gone', 'unknown'].includes(outcome.result);
}

function recorded(
  { id: decision, source, subject, data: decided }: CronCarryOutInput['decided'],
  command: number,
  attempt: number,
  answer: CronOutcome,
): Unstamped<CronCommandAnswered> {
  const { cluster, cronJobUid } = decided;
  const data = { cluster, cronJobUid, decision, command, attempt, answer };
  const id = outcomeId(decision, command, data);
  return { id, type: 'command.answered', source, subject, digest: digestOf(data), data };
}
