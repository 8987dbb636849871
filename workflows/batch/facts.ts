import type { JobSpec, JobStatus, LabelSelector } from '../kubernetes/objects.ts';
import type { UnixMs } from '../ledger/instants.ts';
import type { IndexGrant } from './index-grant.ts';

/**
 * The fields of a Job that decisions depend on. The pod template itself is not among them, because it never passes
 * through Temporal.
 */
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
  /**
   * True when the pod template has the field `schedulingGroup`: somebody else has made the group in which the pods are
   * scheduled, and Jobledger makes no PodGroup for them (J-8.11).
   */
  hasSchedulingGroup?: true;
  /** True when another object controls the Job, for example a CronJob. */
  controlled?: true;
  /**
   * True when the Job has the annotation `scheduling.k8s.io/group-template-name`, with which the owner of the Job
   * leaves the creation of its PodGroup to Jobledger (J-8.22).
   */
  delegated?: true;
  status: JobStatus;
  /** The settings in the annotations of the Job; the field is absent without such annotations. */
  annotations?: JobAnnotations;
  /**
   * The counts from before the API server was restored from an older copy, when the status now shows lower counts: what
   * was counted stays counted. Only a state has the field, until a status again shows counts that are not lower.
   */
  atLeast?: CountedBefore;
  /**
   * The grant of indexes that the Job has acknowledged (index-grant.ts), while the status shows an older grant or no
   * grant; for a Job that repeats indexes of an earlier Job, also the grant with which it was first observed. Only a
   * state has the field.
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
  /** `jobledger.dev/backoff-seconds`: the delay after the first failed pod, in seconds. */
  backoffSeconds?: number;
  /** `jobledger.dev/failed-pods-limit`: the highest number of failed pods that are kept. */
  failedPodsLimit?: number;
  /** `jobledger.dev/start-and-finish-events`: Kubernetes Events report the start and the end of the Job. */
  startAndFinishEvents?: true;
  /** `jobledger.dev/after`: the Jobs for which the Job waits (J-12.6). */
  after?: AfterCondition[];
  /** `jobledger.dev/continued-failures`. */
  continues?: ContinuedFailures;
  /** `jobledger.dev/indexes`: the only indexes that the Job may run (J-16.24); index-grant.ts describes them. */
  indexes?: IndexGrant;
  /**
   * `jobledger.dev/placed-for`: the Job that this Job carries out, as `<cluster>/<namespace>/<name>`. The author of
   * that Job has left it to Jobledger to choose a cluster.
   */
  placedFor?: string;
  /** A text about each annotation with an invalid value, which is ignored. */
  invalid?: string[];
}

/**
 * The failures of an earlier Job whose work this Job continues, so that the limits and the delays hold for the whole
 * work (J-16.23).
 */
export interface ContinuedFailures {
  /** Finish times of the failures after the latest success, newest first. */
  consecutive?: UnixMs[];
  /**
   * The failures of indexes that are neither completed nor failed, by index, in a Job with a back-off limit per
   * index.
   */
  indexes?: Record<string, IndexFailures>;
}

/** The failures of one completion index. */
export interface IndexFailures {
  /** The number of failed pods, without the ignored failures. */
  failureCount: number;
  /** The number of failed pods that the pod failure policy ignores. */
  ignoredFailureCount: number;
  /** The finish time of the last failed pod. */
  at: UnixMs;
}

/**
 * The Job waits until the Job with the name `job` in its namespace has ended in this way; `Finished` means in either
 * way. It is then resumed.
 */
export interface AfterCondition {
  job: string;
  end: 'Succeeded' | 'Failed' | 'Finished';
}
