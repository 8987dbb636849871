import type { JobRef, CarryOutInput } from '../../../workflows/activities.ts';
import type { Outcome } from '../../../workflows/job/outcomes.ts';
import type { Command } from '../../../workflows/job/commands.ts';
import { outcomeId } from '../../../workflows/job/record/decision-id.ts';
import type { CommandAnswered, JobEvent, Unstamped } from '../../../workflows/job/events.ts';
import type { Job } from '../../../workflows/kubernetes/objects.ts';
import { firstWithin } from '../../adapters/first-within.ts';
import { digestOf } from '../../adapters/digest.ts';
import { faultPoint } from '../../adapters/fault-points.ts';
import type { Appender } from '../../adapters/kafka/append.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { Log } from '../../adapters/log.ts';
import type { CountDecision } from '../metrics.ts';
import { hasFailed, type AnyOutcome } from './outcome-of.ts';
import { createPods } from './create-pods.ts';
import { deleteJob } from './delete-job.ts';
import { deletePods } from './delete-pods.ts';
import { emitOnJob } from './events-on-job.ts';
import { lookUpJob, lookUpOrphans, lookUpPods } from './look-up.ts';
import { adoptPods, disownPods, releasePods } from './pod-patches.ts';
import { setSuspend } from './set-suspend.ts';
import { isNotFound, jobPath, type CommandContext } from './command-context.ts';
import { writeStatus } from './write-status.ts';

export interface CarryOutDependencies {
  client: KubernetesClient;
  appender: Appender;
  log: Log;
  count: CountDecision;
  /** The worker's clock, in milliseconds since the epoch. */
  now: () => number;
}

/** How far a decision has been carried out. */
export interface Progress {
  /** The decision is in the ledger. */
  isRecorded: boolean;
  /** The outcomes of the first commands, in order; the first `appended` of them are in the ledger. */
  answered: Unstamped<CommandAnswered>[];
  appended: number;
}

/**
 * The most that is reported, in characters of JSON: Temporal takes 2 MiB after compression. The commands of outcomes beyond
 * it are sent again by the next attempt, which is harmless.
 */
const MAX_REPORTED = 4 * 1024 * 1024;

export const NO_PROGRESS: Progress = { isRecorded: false, answered: [], appended: 0 };

/** Number of the attempt, what cancels it, and the progress of earlier attempts, as far as it is known. */
export interface Attempt {
  number: number;
  signal: AbortSignal;
  before: Progress;
  /** Reports the progress to the next attempt. */
  report(progress: Progress): void;
}

/**
 * Records the decision, carries out its commands in order, records the outcomes (the port's `carryOut`). What an
 * earlier attempt is known to have done is skipped: while a server is down for an hour, a decision is recorded once.
 */
export async function carryOut(
  dependencies: CarryOutDependencies,
  input: CarryOutInput,
  attempt: Attempt,
): Promise<Unstamped<CommandAnswered>[]> {
  const start = performance.now();
  let { isRecorded, appended } = attempt.before;
  const answered = [...attempt.before.answered];
  const report = (): void => {
    const reported = firstWithin(answered, (outcome) => JSON.stringify(outcome).length, MAX_REPORTED);
    attempt.report({ isRecorded, answered: reported, appended: Math.min(appended, reported.length) });
  };
  const append = (events: readonly Unstamped<JobEvent>[]): Promise<void> =>
    dependencies.appender.append(events.map((event) => stamped(event, dependencies.now())));
  if (!isRecorded) {
    await append([...input.received, ...input.folded, input.decided]);
    isRecorded = true;
    report();
  }
  faultPoint('after-decision');
  const readers = jobReaders(dependencies.client, input.job, attempt.signal);
  const { commands, now: decidedAt } = input.decided.data;
  try {
    for (const [at, command] of commands.entries()) {
      if (at < answered.length) continue;
      attempt.signal.throwIfAborted();
      const eventKey = { decision: input.decided.id, now: decidedAt, command: at };
      const context = { ...dependencies, ...readers, job: input.job, eventKey, signal: attempt.signal };
      const isSkipped = answered.some(({ data }) => data.answer.kind === 'skipped' || hasFailed(data.answer));
      const answer: AnyOutcome = isSkipped ? { kind: 'skipped' } : await answerTo(context, command);
      answered.push(recorded(input, at, attempt, { ...answer, at: dependencies.now() }));
      report();
      faultPoint(command.kind === 'ReleasePods' ? 'after-release' : 'after-api-call');
    }
  } finally {
    // Also when the attempt fails: the effects of completed commands exist.
    await append(answered.slice(appended));
    appended = answered.length;
    report();
  }
  const answers = answered.map(({ data }) => data.answer);
  dependencies.count(input, answers, (performance.now() - start) / 1000);
  return answered;
}

function stamped(event: Unstamped<JobEvent>, now: number): JobEvent {
  return { ...event, time: new Date(now).toISOString() } as JobEvent;
}

function answerTo(context: CommandContext, command: Command): Promise<AnyOutcome> {
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
      return emitOnJob(context, command.events).then(() => ({ kind: 'EmitEvents' }));
    case 'SetSuspend':
      return setSuspend(context, command);
    case 'RefuseRequest':
      return Promise.resolve({ kind: 'RefuseRequest', request: command.request });
    case 'LookUpJob':
      return lookUpJob(context);
    case 'LookUpPods':
      return lookUpPods(context, command);
    case 'DeleteJob':
      return deleteJob(context, command);
    case 'LookUpOrphans':
      return lookUpOrphans(context, command);
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
      .catch((error: unknown) => {
        if (isNotFound(error)) return null;
        throw error;
      });
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
