import type { CarryOutInput, ObjectRef } from '../../../../workflows/activities.ts';
import { trueCondition } from '../../../../workflows/batch/conditions.ts';
import type { Command } from '../../../../workflows/job/commands.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import type { Log } from '../../../adapters/process/log.ts';
import type { PerCommandContext } from '../../command/command-table.ts';
import { readThisJob, type Requesting } from '../../command/requests.ts';
import type { Attempt } from '../attempt/progress.ts';
import type { ClaimedJobs } from './claimed-jobs.ts';

/** The context of one command: the context of the attempt, and what the command has of its own. */
export type CommandContext = JobContext & PerCommandContext;

/** The context of the commands of one attempt: the cluster, the Job, and the end of the time. */
export interface JobContext extends Requesting {
  log: Log;
  /** The worker's clock, in milliseconds since 1970. */
  now: () => number;
  /** The present Job on the server; null when it is gone, or another Job has its name. */
  readJob(): Promise<Job | null>;
  /** The Job that was last read or written for this decision. Without such a Job, the Job is read. */
  recentJob(): Promise<Job | null>;
  /** Keeps the Job that a write returned. */
  rememberJob(job: Job): void;
  /** The Jobs that the worker acts for. */
  claimed: ClaimedJobs;
  /** True when a command for many pods ends with the completed pods. */
  isLate(): boolean;
}

type OfWorker = Pick<JobContext, 'client' | 'log' | 'now' | 'claimed'>;

/** Creates the context of one attempt, which keeps the Job that was last read or written. */
export function createJobContext(
  { client, log, now, claimed }: OfWorker,
  { job, decided: { data } }: Pick<CarryOutInput, 'job' | 'decided'>,
  { signal, isLate }: Pick<Attempt<never>, 'signal' | 'isLate'>,
): JobContext {
  const start = performance.now();
  const readers = jobReaders(client, job, signal);
  const isSlow = isLate ?? ((): boolean => performance.now() - start > LATE_MS);
  // A decision between these commands would end a Job by the failures of its deleted pods instead of its deadline.
  const isTimeUp = endsJob(data.commands) ? (): boolean => false : isSlow;
  return { client, log, now, claimed, ...readers, job, signal, isLate: isTimeUp };
}

/** True when the decision determines how the Job ends. */
function endsJob(commands: readonly Command[]): boolean {
  return commands.some(
    (command) =>
      command.kind === 'WriteStatus' &&
      (trueCondition(command.to, 'FailureTarget') !== undefined ||
        trueCondition(command.to, 'SuccessCriteriaMet') !== undefined),
  );
}

/** The time after which a command for many pods ends with the completed pods, in milliseconds. */
const LATE_MS = 5000;

/** Functions that read the Job and keep its last version. */
function jobReaders(
  client: KubernetesClient,
  job: ObjectRef,
  signal: AbortSignal,
): Pick<JobContext, 'readJob' | 'recentJob' | 'rememberJob'> {
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
