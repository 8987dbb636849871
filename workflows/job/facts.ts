import type { UnixMs } from './definitions/instants.ts';
import type { ApprovalRequest } from '../invariants/approval.ts';
import type { EndType } from './definitions/conditions.ts';
import type { JobSpec, JobStatus, LabelSelector } from '../kubernetes/objects.ts';

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

/** A Job for which another Job waits, directly or through other Jobs. */
export interface AwaitedFacts {
  name: string;
  /** The version of the Job; for a missing Job, the version of the Job whose change showed the absence. */
  resourceVersion: string;
  /** The field is absent when no Job has the name. */
  uid?: string;
  /** The names of the Jobs for which the awaited Job itself waits; absent when it does not wait. */
  waitsFor?: string[];
  end?: { type: EndType; reason: string; at: UnixMs };
  /** It was deleted. */
  gone?: true;
  /** For a missing Job, the time since which the other Job has waited for it. */
  since?: UnixMs;
}

/** The fields of a pod that the core reads; an absent field has its usual value. */
export interface PodFacts {
  uid: string;
  name: string;
  resourceVersion: string;
  phase: string;
  createdAt: UnixMs;
  /** The resourceVersion of the list that contained the object; absent when the object came from the watch. */
  listedAt?: string;
  /** True when the pod has one of the tracking finalizers (J-0.4, J-4.34). */
  tracked?: true;
  /** True when the pod has the tracking finalizer of Jobledger, not only the reserved finalizer. */
  trackedByUs?: true;
  namespace: string;
  /** The UID of the controlling owner; absent without such an owner. */
  controller?: string;
  /** Its name. */
  controllerName?: string;
  labels?: Record<string, string>;
  /** True when the controller of the pod is not the Job whose stream contains the pod. */
  elsewhere?: true;
  /** Has a deletionTimestamp. */
  deleting?: true;
  scheduled?: true;
  ready?: true;
  /** The instant at which Ready became True. */
  readySince?: UnixMs;
  /** The finish time by J-5.41; present when the pod is terminal or being deleted. */
  finishedAt?: UnixMs;
  /**
   * The restarts of all containers together (J-6.4), and the highest count of a single container or sidecar (J-5.31).
   */
  restarts?: number;
  maxRestarts?: number;
  maxSidecarRestarts?: number;
  /** The annotations of Indexed Jobs and of Jobs with a back-off limit per index (J-0.4, J-5.8). */
  index?: number;
  failureCount?: number;
  ignoredFailureCount?: number;
  /** The containers with a non-zero exit code, in order, for the pod failure policy (J-6.10). */
  exits?: { container: string; code: number }[];
  /** The conditions for the pod failure policy; for a pod that has not failed, without the conditions that every pod has. */
  conditions?: { type: string; status: string }[];
}

/** A user request to suspend or resume a Job. */
export interface SuspensionRequest {
  action: 'suspend' | 'resume';
  by: string;
}

/** The request of a person, in the recorded and folded form. */
export type ReceivedRequest = SuspensionRequest | ApprovalRequest;

/**
 * A fact in the form of a signal; `digest` is the digest of the ledger record, and `epoch` the epoch of its versions.
 */
export type Fact = { id: string; digest: string; epoch?: number } & (
  | { type: 'job.observed'; job: JobFacts }
  | { type: 'job.deleted'; resourceVersion: string }
  | { type: 'pod.observed'; pod: PodFacts }
  | { type: 'pod.deleted'; uid: string; name: string; resourceVersion: string }
  | ({ type: 'request.received' } & ReceivedRequest)
  | { type: 'awaited-job.observed'; awaited: AwaitedFacts }
);
