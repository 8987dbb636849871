import type { DeletedContent, InEpoch, ObservedContent, RecordedEvent } from '../ledger/recorded-event.ts';
import type { ClusterConnected, ClusterGap, ClusterRestored } from '../ledger/cluster-events.ts';
import type { Detachment, ClusterDetached } from '../ledger/detachment.ts';
import type { KubernetesEventsDropped, ObservedKubernetesEvent } from '../ledger/kubernetes-events.ts';
import type { NodeDeleted, NodeObserved } from '../ledger/nodes.ts';
import type { PricesApplied } from '../ledger/prices.ts';
import type { SnapshotContent } from '../decision/snapshot-content.ts';
import type { Job, Pod } from '../kubernetes/objects.ts';
import type { Command } from './commands.ts';
import type { EndType } from '../batch/conditions.ts';
import type { AwaitedFacts } from './facts.ts';
import type { ReceivedRequest } from '../decision/user-requests.ts';
import type { Outcome } from './outcomes.ts';
import type { Settings } from './settings.ts';
import type { DecisionContentOf, FoldedContent, OutcomeContent } from '../decision/stream.ts';
import type { JobState } from './state.ts';

/** The fields that every event of a Job contains. */
export interface OfJob {
  cluster: string;
  jobUid: string;
}

/** `withoutTemplate` means that the template of a large object was left out. */
export type JobObserved = RecordedEvent<
  'job.observed',
  OfJob & ObservedContent<Job> & { withoutTemplate?: true }
>;

export type JobDeleted = RecordedEvent<'job.deleted', OfJob & DeletedContent<Job>>;

/**
 * `listedAt` is the resourceVersion of the list that contained the pod; it may be much newer than the pod's own version.
 * The field is absent for a pod from a watch.
 */
export type PodObserved = RecordedEvent<
  'pod.observed',
  OfJob & ObservedContent<Pod> & { withoutSpec?: true; listedAt?: string }
>;

export type PodDeleted = RecordedEvent<
  'pod.deleted',
  OfJob & { podUid: string; podName: string } & DeletedContent<Pod>
>;

/** A user's request. `by` names the user if the user is known. */
export type RequestReceived = RecordedEvent<'request.received', OfJob & ReceivedRequest>;

/**
 * The Job that a user asked to create; `retryOf` is the UID and `retryOfName` the name of the Job whose work is done
 * again.
 */
interface Submission {
  /** The id of the submission, which is equal in its two events. */
  submission: string;
  /** The verified name of the user. */
  by: string;
  retryOf?: string;
  retryOfName?: string;
}

/**
 * This event is recorded before the Job is created, so it does not belong to a Job yet. `name` is absent when the
 * cluster generates the name.
 */
export type SubmissionReceived = RecordedEvent<
  'submission.received',
  Submission & { cluster: string; namespace: string; name?: string; generateName?: string }
>;

/** This event is recorded after the cluster has created the Job. */
export type JobSubmitted = RecordedEvent<'job.submitted', OfJob & Submission>;

/**
 * A request to the API server that changed a Job or one of its pods, from the server's audit log. The event is in the
 * stream of the Job. No decision depends on it.
 */
export type ApiRequestAudited = RecordedEvent<'api-request.audited', OfJob & AuditedRequest>;

/** The recorded parts of an audited request: its sender, and the fields that it named, never their values. */
export interface AuditedRequest {
  resource: 'jobs' | 'pods';
  /** The UID and the name of the Job or pod. */
  uid: string;
  name: string;
  verb: 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';
  /** The name of the user under whose identity the request was carried out. */
  by: string;
  /** The user that sent the request under the identity of `by`; absent without impersonation. */
  impersonatedBy?: string;
  /** The name that the program gives itself. */
  userAgent?: string;
  /** The version of the object after the request; absent when the response does not contain a version. */
  resourceVersion?: string;
  /** The fields that a patch named, two levels deep; absent for other verbs. */
  fields?: string[];
  /** The garbage collector deleted the object because its owner is gone. */
  cascade?: true;
  /** The API server failed while it handled the request, which may or may not have had its effect. */
  panicked?: true;
  /** The time when the API server received the request, in RFC 3339. */
  receivedAt: string;
  /** The id of the request in the audit log. */
  auditId: string;
}

/**
 * A Kubernetes Event of another program about a Job or one of its pods, in the stream of the Job. No decision depends on
 * it.
 */
export type KubernetesEventObserved = RecordedEvent<
  'kubernetes-event.observed',
  OfJob & InEpoch & ObservedKubernetesEvent
>;

/** A Job for which another Job waits, in the stream of the Job that waits. */
export type AwaitedJobObserved = RecordedEvent<
  'awaited-job.observed',
  OfJob & InEpoch & { awaited: AwaitedJob }
>;

/** workflows/job/facts.ts describes the fields; instants in this event are in RFC 3339. */
export interface AwaitedJob extends Omit<AwaitedFacts, 'end' | 'since'> {
  end?: { type: EndType; reason: string; at: string };
  since?: string;
}

/**
 * An event in the stream of a Job whose pods are released, or which no controller runs after the detachment; `open`
 * is true when the Job has not finished.
 */
export type JobDetached = RecordedEvent<'job.detached', OfJob & Detachment & { open: boolean }>;

/** A decision about a Job; `DecisionContentOf` describes the fields. */
export type DecisionContent = OfJob & DecisionContentOf<Command, Settings>;

export type JobDecided = RecordedEvent<'job.decided', DecisionContent>;

export type JobFolded = RecordedEvent<'job.folded', OfJob & FoldedContent>;

export type OutcomeRecorded = RecordedEvent<'outcome.recorded', OfJob & OutcomeContent<Outcome>>;

export type JobSnapshotted = RecordedEvent<'job.snapshotted', OfJob & SnapshotContent<JobState>>;

export type JobEvent =
  | JobObserved
  | JobDeleted
  | PodObserved
  | PodDeleted
  | RequestReceived
  | SubmissionReceived
  | JobSubmitted
  | ApiRequestAudited
  | KubernetesEventObserved
  | KubernetesEventsDropped
  | AwaitedJobObserved
  | PricesApplied
  | NodeObserved
  | NodeDeleted
  | ClusterConnected
  | ClusterGap
  | ClusterRestored
  | ClusterDetached
  | JobDetached
  | JobDecided
  | JobFolded
  | OutcomeRecorded
  | JobSnapshotted;
