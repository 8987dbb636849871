import type { UnixMs } from '../ledger/instants.ts';
import type { ApprovalRequest } from '../decision/invariants/approval.ts';
import type { CronJobSpec, CronJobStatus } from '../kubernetes/objects.ts';

/** The fields of a CronJob that the core reads: all except the Job template, which never passes through Temporal. */
export interface CronJobFacts {
  uid: string;
  namespace: string;
  name: string;
  resourceVersion: string;
  generation: number;
  createdAt: UnixMs;
  deleting: boolean;
  spec: CronJobSpec;
  status: CronJobStatus;
}

/**
 * The fields of a child that the core reads; a child is a Job whose controller is the CronJob. Instants have the
 * format of the API.
 */
export interface ChildFacts {
  uid: string;
  namespace: string;
  name: string;
  resourceVersion: string;
  /** The resourceVersion of the list that contained the Job; absent when the Job came from the watch. */
  listedAt?: string;
  /** The controller of the Job is not this CronJob, or has ceased to be this CronJob (B-20). */
  elsewhere?: true;
  /** The name of the controlling CronJob in the owner reference; absent when that CronJob is elsewhere. */
  controllerName?: string;
  /** The condition that ended the Job (J-9.51); absent while it runs. */
  finished?: 'Complete' | 'Failed';
  startTime?: string;
  completionTime?: string;
}

/** A fact of a CronJob's stream as a signal carries it; `digest` is the digest of the ledger record. */
export type CronFact = { id: string; digest: string; epoch?: number } & (
  | { type: 'cronjob.observed'; cronJob: CronJobFacts }
  | { type: 'cronjob.deleted'; resourceVersion: string }
  | { type: 'job.observed'; job: ChildFacts }
  | { type: 'job.deleted'; uid: string; namespace: string; resourceVersion: string }
  | { type: 'watch.passed'; resource: 'jobs'; resourceVersion: string }
  | ({ type: 'request.received' } & ApprovalRequest)
);
