import type { UnixMs } from '../job/definitions/instants.ts';
import type { ApprovalRequest } from '../invariants/approval.ts';
import type { CronJobSpec, CronJobStatus } from '../kubernetes/objects.ts';

/** What the core reads of a CronJob: everything but the Job template, which never passes through Temporal. */
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

/** What the core reads of a child: a Job whose controller is the CronJob. Instants as the API writes them. */
export interface ChildFacts {
  uid: string;
  namespace: string;
  name: string;
  resourceVersion: string;
  /** resourceVersion of the list that contained it; absent when it came from the watch. */
  listedAt?: string;
  /** Its controller is not, or no longer, this CronJob (B-20). */
  elsewhere?: true;
  /** Name of the CronJob that controls it, as its owner reference has it; absent when that is elsewhere. */
  controllerName?: string;
  /** The condition that ended it (J-9.51); absent while it runs. */
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
  | ({ type: 'command.received' } & ApprovalRequest)
);
