import type { CarryOutInput, ObjectRef } from '../../../../workflows/activities.ts';
import { trueCondition } from '../../../../workflows/batch/conditions.ts';
import type { Command } from '../../../../workflows/job/commands.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import type { Log } from '../../../adapters/process/log.ts';
import type { PartialProgress } from '../../command/command-table.ts';
import type { EventKey } from '../../command/emit-events.ts';
import { readThisJob, type Requesting } from '../../command/requests.ts';
import type { Attempt } from '../attempt/progress.ts';
import type { ClaimedJobs } from './claimed-jobs.ts';

/** The context of one command: the cluster, the Job, and names that make requests idempotent. */
export interface CommandContext extends Requesting {
  log: Log;
  /** The worker's clock, in milliseconds since 1970. */
  now: () => number;
  /** The key that determines the names of Events, so that a repeated attempt creates no new Events. */
  eventKey: EventKey;
  /** The present Job on the server; null when it is gone, or another Job has its name. */
  readJob(): Promise<Job | null>;
  /** The Job that was last read or written for this decision. Without such a Job, the Job is read. */
  recentJob(): Promise<Job | null>;
  /** Keeps the Job that a write returned. */
  rememberJob(job: Job): void;
  /** The Jobs that the worker acts for. */
  claimed: ClaimedJobs;
  /** The progress of this command in earlier attempts and in this attempt. */
  parts: PartialProgress;
  /** True when a command for many pods ends with the completed pods. */
  isLate(): boolean;
}

type OfWorker = Pick<CommandContext, 'client' | 'log' | 'now' | 'claimed'>;

/** Creates the contexts of the commands of one attempt, which share the Job that was last read or written. */
export function createJobContexts(
  { client, log, now, claimed }: OfWorker,
  { job, decided: { id: decision, data } }: Pick<CarryOutInput, 'job' | 'decided'>,
  { signal, isLate }: Pick<Attempt<never>, 'signal' | 'isLate'>,
): (at: number, parts: PartialProgress) => CommandContext {
  const start = performance.now();
  const readers = jobReaders(client, job, signal);
  const isSlow = isLate ?? ((): boolean => performance.now() - start > LATE_MS);
  // A decision between these commands would end a Job by the failures of its deleted pods instead of its deadline.
  const isTimeUp = endsJob(data.commands) ? (): boolean => false : isSlow;
  return (at, parts) => ({
    client,
    log,
    now,
    claimed,
    ...readers,
    job,
    eventKey: { decision, now: data.now, command: at },
    signal,
    parts,
    isLate: isTimeUp,
  });
}

/** True when the decision determines how the Job ends. */
function endsJob(commands: readonly Command[]): boolean {
  return commands.some(
    (command) =>
      command.kind === 'WriteStatus' &&
      ['FailureTarget', 'SuccessCriteriaMet'].some((type) => trueCondition(command.to, type) !== undefined),
  );
}

/** The time after which a command for many pods ends with the completed pods, in milliseconds. */
const LATE_MS = 5000;

/** Functions that read the Job and keep its last version. */
function jobReaders(
  client: KubernetesClient,
  job: ObjectRef,
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
