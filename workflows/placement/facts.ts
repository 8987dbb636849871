import type { IndexGrant } from '../batch/index-grant.ts';
import type { ReceivedRequest } from '../decision/user-requests.ts';
import type { JobSpec, JobStatus } from '../kubernetes/objects.ts';

/**
 * A placed Job (`spec.managedBy: jobledger.dev/placement`) exists in its home cluster and runs as a member: a Job of
 * the same spec in a cluster that was chosen for it, which may be the home cluster itself (J-16.1).
 */
export interface PlacedJobFacts {
  /** Its home. */
  cluster: string;
  uid: string;
  namespace: string;
  name: string;
  resourceVersion: string;
  generation: number;
  deleting: boolean;
  /** True when the placed Job has the finalizer of Jobledger, so that its deletion waits for its members (J-16.3). */
  held: boolean;
  /** Without the template. */
  spec: Omit<JobSpec, 'selector'>;
  /** The `activeDeadlineSeconds` of the pods, which the kubelet enforces. */
  podDeadlineSeconds?: number;
  /** The `terminationGracePeriodSeconds` of the pods, if the template has this field. */
  podGraceSeconds?: number;
  /**
   * The reason why the indexes of the Job cannot run in several clusters; absent when they can run in several
   * clusters (J-17.1).
   */
  indivisible?: string;
  status: JobStatus;
  preferences: PlacementPreferences;
  /** The annotations of the placed Job that its members follow; absent without such annotations. */
  annotations?: FollowedAnnotations;
}

/** Values of annotations of an ordinary Job, by name; values that are too long are cut. */
export type FollowedAnnotations = Record<string, string>;

/** The requests in the annotations of a placed Job (J-16.2). */
export interface PlacementPreferences {
  /**
   * The clusters in order of preference, or a label selector; when the field is absent, any cluster that the operator
   * allows.
   */
  clusters?: { names: string[] } | { labels: Record<string, string> };
  /** The time after which pods without a node go to another cluster, in milliseconds. */
  spillAfterMs: number;
  ifLost: LossPolicy;
  /** The division of the Job between clusters; absent when the Job runs in one cluster (J-17.1). */
  spread?: SpreadBy;
  /** The invalid values of annotations, as text; a Job with such a value is not placed. */
  invalid?: string[];
}

/**
 * The policy of a Job whose cluster does not answer; `afterMs` is counted in milliseconds since the cluster stopped
 * answering.
 */
export type LossPolicy =
  | { kind: 'Wait' }
  | { kind: 'MoveWhenStopped'; afterMs: number }
  | { kind: 'MoveAfter'; afterMs: number };

/** The order that the shares of the clusters follow (J-17.2). */
export type SpreadBy = 'room' | 'even' | 'price';

/** The facts about a member that its home must know. */
export interface MemberFacts {
  cluster: string;
  uid: string;
  name: string;
  namespace: string;
  resourceVersion: string;
  generation: number;
  /** The number of times that the resourceVersions of the member's cluster have started over (events.ts of Jobs). */
  epoch?: number;
  deleting?: true;
  /** The grant of indexes in the annotation of the member. */
  grant?: IndexGrant;
  /** The annotations of the member that follow the placed Job; absent without such annotations. */
  annotations?: FollowedAnnotations;
  spec: MemberSpec;
  status: JobStatus;
}

/** The fields of a member's spec that follow the spec of the placed Job. */
export type MemberSpec = Pick<
  JobSpec,
  | 'parallelism'
  | 'completions'
  | 'suspend'
  | 'activeDeadlineSeconds'
  | 'backoffLimit'
  | 'maxFailedIndexes'
  | 'podReplacementPolicy'
>;

/** A fact of the stream of a placed Job, in the form of a signal; `digest` is the digest of the ledger record. */
export type PlacementFact = { id: string; digest: string; epoch?: number } & (
  | { type: 'job.observed'; job: PlacedJobFacts }
  | { type: 'job.deleted'; resourceVersion: string }
  | { type: 'member.observed'; member: MemberFacts; mark?: string }
  | {
      type: 'member.deleted';
      cluster: string;
      uid: string;
      name: string;
      resourceVersion: string;
      epoch?: number;
    }
  | ({ type: 'request.received' } & ReceivedRequest)
);
