import type { ObjectRef } from '../../../../workflows/activities.ts';
import type { CronJob, Job } from '../../../../workflows/kubernetes/objects.ts';
import type { CronCommand } from '../../../../workflows/cron-job/commands.ts';
import { childFacts, isChild } from '../../../../workflows/cron-job/observe/compact.ts';
import type { CronOutcome } from '../../../../workflows/cron-job/outcomes.ts';
import { pathSegment } from '../../../adapters/kubernetes/path-segment.ts';
import type { WatchedVersion } from '../../../shards/watched.ts';
import { nullIfNotFound, type Requesting } from '../../command/requests.ts';

/** The context of the commands of one attempt: the cluster, the CronJob, and the number of the attempt. */
export interface CronContext extends Requesting {
  /** True from the second attempt on, when the same requests may have been sent already. */
  attempt: number;
  /** The worker's clock, in milliseconds since 1970. */
  now: () => number;
  /** Resolves after some milliseconds, or when `signal` is aborted. */
  pause: (ms: number) => Promise<void>;
  /**
   * The CronJob that this attempt has read first; all commands are compared with this CronJob. The result is null when
   * the CronJob is gone.
   */
  live: () => Promise<CronJob | null>;
  /** The position of the ledger in the watch of Jobs; null when it is unknown. */
  watched: () => Promise<WatchedVersion | null>;
  /** Records in the CronJob's stream that the watch of Jobs has passed a version. */
  recordPassed: (version: WatchedVersion) => Promise<void>;
}

type WithoutInstant<A> = A extends CronOutcome ? Omit<A, 'at'> : never;

/** The outcome of any command, without its instant. */
export type AnyCronOutcome = WithoutInstant<CronOutcome>;

/** The result of carrying out a command of a kind; the instant is added where the outcome is recorded. */
export type CronOutcomeOf<K extends CronOutcome['kind']> = WithoutInstant<Extract<CronOutcome, { kind: K }>>;

/** The result of a command that is only sent if its preconditions hold. */
export type BasedOutcomeOf<K extends CronCommand['kind']> = CronOutcomeOf<K> | CronOutcomeOf<'stale'>;

export function cronJobPath({ namespace, name }: Pick<ObjectRef, 'namespace' | 'name'>): string {
  return `/apis/batch/v1/namespaces/${pathSegment(namespace)}/cronjobs/${pathSegment(name)}`;
}

/** The present CronJob on the server; null when it is gone, or another CronJob has its name. */
export async function readCronJob({ client, job, signal }: Requesting): Promise<CronJob | null> {
  const path = cronJobPath(job);
  const found = await client.request<CronJob>({ method: 'GET', path, signal }).catch(nullIfNotFound);
  return found?.metadata.uid === job.uid ? found : null;
}

/** True when the CronJob is the controller of a Job of its namespace. */
export function isOurs({ job: cronJob }: Pick<CronContext, 'job'>, job: Job): boolean {
  const facts = childFacts(job, cronJob.uid);
  return facts.elsewhere !== true && isChild(cronJob, facts);
}
