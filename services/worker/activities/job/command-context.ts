import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import type { Log } from '../../../adapters/process/log.ts';
import type { PartialProgress } from '../carry-out.ts';
import type { EventKey } from '../emit-events.ts';
import type { Requesting } from '../requests.ts';
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
