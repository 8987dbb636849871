import type { LastWrites } from '../../../services/worker/status-writers.ts';
import type { ReplacedController } from '../../../services/adapters/config.ts';
import type { Claim } from '../../../workflows/kubernetes/names.ts';
import type { CronJob, Job, Pod } from '../../../workflows/kubernetes/objects.ts';
import type { HomeRef } from '../../../workflows/placement/member-job.ts';
import type { MemberFacts } from '../../../workflows/placement/facts.ts';

/** The objects of a cluster, or of some of its namespaces, that a detachment may affect. */
export interface Surveyed {
  cluster: string;
  /** The pods with the tracking finalizer of Jobledger or of Kubernetes, without their containers. */
  pods: readonly SurveyedPod[];
  jobs: readonly SurveyedJob[];
  cronJobs: readonly SurveyedCronJob[];
  /**
   * The members of these placed Jobs in every cluster, and the members in this cluster with another home, from the
   * ledger.
   */
  members: readonly KnownMember[];
}

export type SurveyedPod = Pick<Pod, 'metadata'> & { phase: string | undefined };
export type SurveyedJob = Pick<Job, 'metadata' | 'status'> & {
  managedBy: string | undefined;
  /** The writers of the Job's status. */
  writes: LastWrites;
  /** The placed Job that the Job names as its home; any user can write this name. */
  home: HomeRef | null;
};

/** A Job that a recorded outcome calls a member, and its placed Job. */
export type KnownMember = Pick<MemberFacts, 'cluster' | 'namespace' | 'name' | 'uid'> & { home: HomeRef };

/** `managedBy` of the Jobs that the CronJob creates. */
export type SurveyedCronJob = Pick<CronJob, 'metadata'> & {
  managedBy: string | undefined;
  suspended: boolean;
};

/** The Jobs that Jobledger controls in the cluster, as configured for the services. */
export interface Controlled {
  claim: Claim;
  controllers: readonly ReplacedController[];
}
