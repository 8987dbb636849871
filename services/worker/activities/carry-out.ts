import type { JobRef, CarryOutInput } from '../../../workflows/activities.ts';
import type { Outcome } from '../../../workflows/job/outcomes.ts';
import type { Command } from '../../../workflows/job/commands.ts';
import { trueCondition } from '../../../workflows/job/definitions/conditions.ts';
import { outcomeId } from '../../../workflows/job/record/decision-id.ts';
import type { CommandAnswered, Unstamped } from '../../../workflows/job/events.ts';
import type { Job } from '../../../workflows/kubernetes/objects.ts';
import { digestOf } from '../../adapters/events/digest.ts';
import type { Appender } from '../../adapters/kafka/append.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { CountDecision } from '../metrics.ts';
import { hasFailed, isIncomplete, type AnyOutcome } from './outcome-of.ts';
import type { ClaimedJobs } from './claimed-jobs.ts';
import { createPods } from './create-pods.ts';
import { deleteJob } from './delete-job.ts';
import { deletePods } from './delete-pods.ts';
import { ensureGang } from './ensure-gang.ts';
import { inOrder, type AttemptInOrder, type ProgressInOrder } from './in-order.ts';
import { emitOnJob } from './events-on-job.ts';
import { lookUpJob, lookUpOrphans, lookUpPods } from './look-up.ts';
import { adoptPods, disownPods, releasePods } from './pod-patches.ts';
import { recordableOutcome } from './recordable-outcome.ts';
import { refusalEvents } from './refusal-events.ts';
import type { TraceDecision } from './trace-commands.ts';
import { requireOrder } from './require-order.ts';
import { setSuspend } from './set-suspend.ts';
import { staleOutcome } from './stale.ts';
import { unclaimedOutcome } from './unclaimed.ts';
import { nullIfNotFound, jobPath, type CommandContext } from './command-context.ts';
import { writeStatus } from './write-status.ts';

export interface CarryOutDependencies {
  client: KubernetesClient;
  appender: Appender;
  log: Log;
  /** Absent when nothing is traced. */
  trace?: TraceDecision | undefined;
  count: CountDecision;
  /** The Jobs that the worker acts for. */
  claimed: ClaimedJobs;
  /** The feature level of the installation. */
  level: () => number;
  /** The worker's clock, in milliseconds since the epoch. */
  now: () => number;
}

export type Progress = ProgressInOrder<Unstamped<CommandAnswered>>;
export type Attempt = AttemptInOrder<Unstamped<CommandAnswered>>;

/** Records the decision, carries out its commands in order, records the outcomes (the port's `carryOut`). */
export async function carryOut(
  dependencies: CarryOutDependencies,
  input: CarryOutInput,
  attempt: Attempt,
): Promise<Unstamped<CommandAnswered>[]> {
  requireOrder(input, dependencies.client.cluster);
  const start = performance.now();
  const readers = jobReaders(dependencies.client, input.job, attempt.signal);
  const { commands, now: decidedAt } = input.decided.data;
  const isLate = attempt.isLate ?? ((): boolean => performance.now() - start > LATE_MS);
  // Decided on again in between, a Job that ends by its deadline would end by the failures of the pods that are deleted.
  const isLateFor = commands.some(endsJob) ? (): boolean => false : isLate;
  const answered = await inOrder<Command, Unstamped<CommandAnswered>>(
    dependencies,
    {
      records: [...input.received, ...input.folded, input.decided],
      decided: input.decided,
      commands,
      async send(command, at, before, parts) {
        const eventKey = { decision: input.decided.id, now: decidedAt, command: at };
        const { job } = input;
        const { signal } = attempt;
        const context = { ...dependencies, ...readers, job, eventKey, signal, parts, isLate: isLateFor };
        const isSkipped = before.some(({ data: { answer } }, of) => {
          const earlier = commands[of];
          const isWhole = earlier === undefined || !isIncomplete(earlier, answer);
          return answer.kind === 'skipped' || hasFailed(answer) || !isWhole;
        });
        const answer: AnyOutcome = isSkipped ? { kind: 'skipped' } : await answerTo(context, command);
        await emitOnJob(context, refusalEvents(answer));
        return recorded(input, at, attempt, recordableOutcome({ ...answer, at: dependencies.now() }));
      },
    },
    attempt,
  );
  const answers = answered.map(({ data }) => data.answer);
  dependencies.count(input, answers, (performance.now() - start) / 1000);
  return answered;
}

/** Whether the decision sets how the Job ends. */
function endsJob(command: Command): boolean {
  if (command.kind !== 'WriteStatus') return false;
  return ['FailureTarget', 'SuccessCriteriaMet'].some(
    (type) => trueCondition(command.to, type) !== undefined,
  );
}

/** After this many milliseconds a command for many pods ends with those that are done. */
const LATE_MS = 5000;

async function answerTo(context: CommandContext, command: Command): Promise<AnyOutcome> {
  if (command.kind === 'CreatePods' || command.kind === 'DeletePods') {
    const stale = await staleOutcome(context, command);
    if (stale !== null) return stale;
  }
  const unclaimed = await unclaimedOutcome(context, command);
  if (unclaimed !== null) return unclaimed;
  switch (command.kind) {
    case 'CreatePods':
      return createPods(context, command);
    case 'DeletePods':
      return deletePods(context, command);
    case 'ReleasePods':
      return releasePods(context, command);
    case 'AdoptPods':
      return adoptPods(context, command);
    case 'DisownPods':
      return disownPods(context, command);
    case 'WriteStatus':
      return writeStatus(context, command);
    case 'EmitEvents':
      await emitOnJob(context, command.events);
      return { kind: 'EmitEvents' };
    case 'SetSuspend':
      return setSuspend(context, command);
    case 'RefuseRequest':
      return { kind: 'RefuseRequest', request: command.request };
    case 'LookUpJob':
      return lookUpJob(context);
    case 'LookUpPods':
      return lookUpPods(context, command);
    case 'DeleteJob':
      return deleteJob(context, command);
    case 'LookUpOrphans':
      return lookUpOrphans(context, command);
    case 'EnsureGang':
      return ensureGang(context, command);
  }
}

function recorded(
  input: CarryOutInput,
  command: number,
  attempt: Attempt,
  answer: Outcome,
): Unstamped<CommandAnswered> {
  const { cluster, uid: jobUid } = input.job;
  const { id: decision, source, subject } = input.decided;
  const data = { cluster, jobUid, decision, command, attempt: attempt.number, answer };
  return {
    id: outcomeId(decision, command, data),
    type: 'command.answered',
    source,
    subject,
    digest: digestOf(data),
    data,
  };
}

/** Reads the Job, and keeps the last version. */
function jobReaders(
  client: KubernetesClient,
  job: JobRef,
  signal: AbortSignal,
): Pick<CommandContext, 'readJob' | 'recentJob' | 'rememberJob'> {
  let recent: Job | null | undefined;
  const readJob = async (): Promise<Job | null> => {
    const found = await client
      .request<Job>({ method: 'GET', path: jobPath(job), signal })
      .catch(nullIfNotFound);
    recent = found?.metadata.uid === job.uid ? found : null;
    return recent;
  };
  return {
    readJob,
    recentJob: () => (recent === undefined ? readJob() : Promise.resolve(recent)),
    rememberJob: (written) => {
      recent = written;
    },
  };
}
