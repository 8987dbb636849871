import type { CarryOutInput, JobRef } from '../../../../workflows/activities.ts';
import type { Command } from '../../../../workflows/job/commands.ts';
import { trueCondition } from '../../../../workflows/batch/conditions.ts';
import type { OutcomeRecorded } from '../../../../workflows/job/events.ts';
import type { Unstamped } from '../../../../workflows/ledger/recorded-event.ts';
import { JOB } from '../../../../workflows/job/kind.ts';
import type { Outcome } from '../../../../workflows/job/outcomes.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import type { CountDecision } from '../../metrics.ts';
import {
  carryOut,
  type Actions,
  type Attempt,
  type CarryOutDependencies,
  type PartialProgress,
  type Progress,
} from '../carry-out.ts';
import { readThisJob } from '../requests.ts';
import type { ClaimedJobs } from './claimed-jobs.ts';
import type { CommandContext } from './command-context.ts';
import { createPods } from './create-pods.ts';
import { deleteJob } from './delete-job.ts';
import { deletePods } from './delete-pods.ts';
import { ensureGang } from './ensure-gang.ts';
import { emitOnJob } from './events-on-job.ts';
import { lookUpJob, lookUpOrphans, lookUpPods } from './look-up.ts';
import { hasFailed, isIncomplete, type AnyOutcome } from './outcome-of.ts';
import { adoptPods, disownPods, releasePods } from './pod-patches.ts';
import { refusalEvents } from '../../../adapters/kubernetes/events-on-job.ts';
import { setSuspend } from './set-suspend.ts';
import { staleOutcome } from './stale.ts';
import { unclaimedOutcome } from './unclaimed.ts';
import { writeStatus } from './write-status.ts';

export type JobProgress = Progress<Unstamped<OutcomeRecorded>>;
export type JobAttempt = Attempt<Unstamped<OutcomeRecorded>>;

export interface JobDependencies extends CarryOutDependencies {
  count: CountDecision;
  /** The Jobs that the worker acts for. */
  claimed: ClaimedJobs;
}

/** Carries out a decision about a Job (the port's `carryOut`). */
export function carryOutJob(
  dependencies: JobDependencies,
  order: CarryOutInput,
  attempt: JobAttempt,
): Promise<Unstamped<OutcomeRecorded>[]> {
  const start = performance.now();
  const { id: decision, data } = order.decided;
  const readers = jobReaders(dependencies.client, order.job, attempt.signal);
  const isSlow = attempt.isLate ?? ((): boolean => performance.now() - start > LATE_MS);
  // A decision between these commands would end a Job by the failures of its deleted pods instead of its deadline.
  const isLate = data.commands.some(endsJob) ? (): boolean => false : isSlow;
  const commandContext = (at: number, parts = NO_PARTS): CommandContext => ({
    ...dependencies,
    ...readers,
    job: order.job,
    eventKey: { decision, now: data.now, command: at },
    signal: attempt.signal,
    parts,
    isLate,
  });
  const actions: Actions<Command, Outcome> = {
    send: (command, at, parts) => carryOutCommand(commandContext(at, parts), command),
    skip: () => Promise.resolve({ kind: 'skipped' }),
    isLast: (command, outcome) => hasFailed(outcome) || isIncomplete(command, outcome),
    report: (_command, outcome, at) => emitOnJob(commandContext(at), refusalEvents(order.job, outcome)),
    ended: (outcomes) => dependencies.count(order, outcomes, (performance.now() - start) / 1000),
  };
  return carryOut(dependencies, JOB, order, actions, attempt);
}

const NO_PARTS: PartialProgress = { before: [], keep: () => undefined };

/** True when the decision determines how the Job ends. */
function endsJob(command: Command): boolean {
  if (command.kind !== 'WriteStatus') return false;
  return ['FailureTarget', 'SuccessCriteriaMet'].some(
    (type) => trueCondition(command.to, type) !== undefined,
  );
}

/** The time after which a command for many pods ends with the completed pods, in milliseconds. */
const LATE_MS = 5000;

async function carryOutCommand(context: CommandContext, command: Command): Promise<AnyOutcome> {
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

/** Functions that read the Job and keep its last version. */
function jobReaders(
  client: KubernetesClient,
  job: JobRef,
  signal: AbortSignal,
): Pick<CommandContext, 'readJob' | 'recentJob' | 'rememberJob'> {
  let recent: Job | null | undefined;
  const readJob = async (): Promise<Job | null> => {
    recent = await readThisJob({ client, job, signal });
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
