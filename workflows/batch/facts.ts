import type { JobSpec, JobStatus, LabelSelector } from '../kubernetes/objects.ts';
import type { UnixMs } from '../ledger/instants.ts';
import type { EndType } from './conditions.ts';

/** The fields of a Job that the core reads: all except the pod template, which never passes through Temporal. */
export interface JobFacts {
  uid: string;
  namespace: string;
  name: string;
  resourceVersion: string;
  generation: number;
  deleting: boolean;
  spec: Omit<JobSpec, 'selector'> & { selector: LabelSelector };
  /** `template.spec.restartPolicy`. */
  restartPolicy: string;
  /** True when the pod template names a scheduling group, so that a higher controller schedules the pods (J-8.11). */
  hasSchedulingGroup?: true;
  /** True when another object controls the Job, for example a CronJob. */
  controlled?: true;
  /** True when the owner of the Job leaves the creation of its PodGroup to Jobledger (J-8.22). */
  delegated?: true;
  status: JobStatus;
  /** The field is absent without annotations of Jobledger. */
  annotations?: JobAnnotations;
  /**
   * The earlier counts, which only a state has, after the API server was restored from an older copy, until a status
   * again shows counts that are not lower. It stays counted.
   */
  atLeast?: CountedBefore;
  /**
   * The acknowledged grant, which only a state has, while the status shows an older grant or no grant; for a Job that
   * retries indexes, also the grant with which it was first observed.
   */
  kept?: IndexGrant;
}

/** Counters and indexes in the form of a status. */
export interface CountedBefore {
  succeeded: number;
  failed: number;
  completedIndexes: string;
  failedIndexes: string;
}

/**
 * The settings in a Job's annotations (J-12.8). Where a field is absent, the rule for a Job without the annotation
 * applies.
 */
export interface JobAnnotations {
  /** The delay after the first failed pod, in seconds. */
  backoffSeconds?: number;
  /** The number of failed pods that are kept. */
  failedPodsLimit?: number;
  startAndFinishEvents?: true;
  /** The Jobs for which the Job waits. */
  after?: AfterCondition[];
  /** The failures of an earlier Job whose work this Job continues (J-16.23). */
  continues?: ContinuedFailures;
  /** The only indexes that the member may run, because other members have the remaining indexes (J-16.24). */
  indexes?: IndexGrant;
  /** The placed Job that its author runs by this member, as `<cluster>/<namespace>/<name>`. */
  placedFor?: string;
  /** Each invalid value, as text. */
  invalid?: string[];
}

/**
 * The indexes of a member of a placed Job, in the form of a status; a grant with a higher number replaces an earlier
 * grant (J-16.24). `end` is the end of the placed Job, which is also the end of the member.
 */
export interface IndexGrant {
  number: number;
  indexes: string;
  end?: EndType;
  /** The Job has only these indexes, which it runs again for an earlier Job. */
  isRetry?: true;
}

/** Failures of a member of a placed Job that the next member continues (J-16.23). */
export interface ContinuedFailures {
  /** Finish times of the failures after the latest success, newest first. */
  consecutive?: UnixMs[];
  /**
   * The failures of indexes that are neither completed nor failed, by index, in a Job with a back-off limit per
   * index.
   */
  indexes?: Record<string, IndexFailures>;
}

/** The number of failures of an index, the number of ignored failures, and the finish time of the last failed pod. */
export interface IndexFailures {
  failureCount: number;
  ignoredFailureCount: number;
  at: UnixMs;
}

/** The required end of another Job of the namespace before a Job is resumed. */
export interface AfterCondition {
  job: string;
  end: 'Succeeded' | 'Failed' | 'Finished';
}
