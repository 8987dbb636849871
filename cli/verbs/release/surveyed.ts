import type { LastWrites } from '../../../services/worker/status-writers.ts';
import type { ReplacedController } from '../../../services/adapters/config.ts';
import type { Claim } from '../../../workflows/kubernetes/names.ts';
import type { CronJob, Job, Pod } from '../../../workflows/kubernetes/objects.ts';

/** The objects of a cluster, or of given namespaces of it, that a release may concern. */
export interface Surveyed {
  /** Those with a tracking finalizer of either name; without their containers. */
  pods: readonly SurveyedPod[];
  jobs: readonly SurveyedJob[];
  cronJobs: readonly SurveyedCronJob[];
}

export type SurveyedPod = Pick<Pod, 'metadata'> & { phase: string | undefined };
export type SurveyedJob = Pick<Job, 'metadata' | 'status'> & {
  managedBy: string | undefined;
  /** Who wrote its status. */
  writes: LastWrites;
};

/** `managedBy`: that of the Jobs that it creates. */
export type SurveyedCronJob = Pick<CronJob, 'metadata'> & {
  managedBy: string | undefined;
  suspended: boolean;
};

/** What Jobledger controls in the cluster: as the services are configured. */
export interface Controlled {
  claim: Claim;
  controllers: readonly ReplacedController[];
}
