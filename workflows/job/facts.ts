import type { ReceivedRequest } from '../decision/user-requests.ts';
import type { JobFacts } from '../batch/facts.ts';
import type { UnixMs } from '../ledger/instants.ts';
import type { EndType } from '../batch/conditions.ts';

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
