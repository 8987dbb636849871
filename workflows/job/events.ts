import type { UnixMs } from './definitions/instants.ts';
import type { BrokenInvariant } from '../invariants/broken.ts';
import type { Claim } from '../kubernetes/names.ts';
import type { Job, Pod } from '../kubernetes/objects.ts';
import type { Command } from './commands.ts';
import type { EndType } from './definitions/conditions.ts';
import type { AwaitedFacts, ReceivedRequest } from './facts.ts';
import type { Outcome } from './outcomes.ts';
import type { Reason } from './reason.ts';
import type { Settings } from './settings.ts';
import type { Folded, JobState } from './state.ts';

/**
 * A record of the ledger, which is a CloudEvents 1.0 event. `type` has neither the prefix `dev.jobledger.` nor the
 * version suffix. `digest` is the digest of the recorded data.
 */
export interface RecordedEvent<T extends string, D> {
  /** The id is equal for every record of the same occurrence, so that repeats are recognised. */
  id: string;
  type: T;
  /** The name of the cluster for facts, `jobledger/<cluster>` for decisions and outcomes. */
  source: string;
  /** `<namespace>/<name>` of the Job or CronJob; the name of the cluster for events of a whole cluster. */
  subject: string;
  /** The time when the event was recorded, in RFC 3339 and UTC with milliseconds. */
  time: string;
  digest: string;
  data: D;
  /** The recorded data when they had an earlier form of the type; `data` has the newest form. */
  recorded?: unknown;
}

/** The fields that every event of a Job contains. */
export interface OfJob {
  cluster: string;
  jobUid: string;
}

/**
 * The number of times that the versions of the cluster have started over, because its API server was restored from an
 * older copy. The field is absent before the first restore. Versions are compared only within one epoch.
 */
export interface InEpoch {
  epoch?: number;
}

/** `withoutTemplate` and `cut` mean that the template or the long annotations of a large object were left out. */
export type JobObserved = RecordedEvent<
  'job.observed',
  OfJob & InEpoch & { object: Job; withoutTemplate?: true; cut?: true }
>;

/**
 * `seen: false` means that no watch reported the deletion; `object` is then absent, as it is for an object that was
 * too large.
 */
export type JobDeleted = RecordedEvent<
  'job.deleted',
  OfJob & InEpoch & { resourceVersion: string; seen: boolean; object?: Job }
>;

/**
 * `listedAt` is the resourceVersion of the list that contained the pod; it may be much newer than the pod's own version.
 * The field is absent for a pod from a watch.
 */
export type PodObserved = RecordedEvent<
  'pod.observed',
  OfJob & InEpoch & { object: Pod; withoutSpec?: true; cut?: true; listedAt?: string }
>;

export type PodDeleted = RecordedEvent<
  'pod.deleted',
  OfJob & InEpoch & { podUid: string; podName: string; resourceVersion: string; seen: boolean; object?: Pod }
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
 * `uid` identifies the cluster: it is the UID of the namespace `namespace` or, when this field is absent, of
 * kube-system.
 */
export type ClusterConnected = RecordedEvent<
  'cluster.connected',
  { cluster: string; uid: string; version: string; namespace?: string; apis?: string[] }
>;

/**
 * Changes after resourceVersion `from` and up to `to` may be missing, because the API server no longer had them, or because
 * a periodic list found changes that the watch had not reported. `since` and `until` are in RFC 3339: the time of the
 * last event, or of the previous list, before the gap, and the time of the list after the gap. `namespace` is the
 * only namespace of the gap when only given namespaces are watched.
 */
export type ClusterGap = RecordedEvent<
  'cluster.gap',
  {
    cluster: string;
    resource: 'jobs' | 'pods' | 'cronjobs';
    namespace?: string;
    from: string;
    to: string;
    since: string;
    until: string;
    reason: string;
  }
>;

/**
 * The API server was restored from an older copy, so versions started over: `epoch` is the number of the new epoch,
 * `from` the last version of the previous epoch, and `to` the version of the list that showed the restore.
 * Alternatively, `from` and `to` are versions of an object that the list shows in an older version. `since`, `until`:
 * as in a gap.
 */
export type ClusterRestored = RecordedEvent<
  'cluster.restored',
  { cluster: string; epoch: number; from: string; to: string; since: string; until: string }
>;

/** The effect of `jobledger admin detach` on pods: their tracking finalizer is removed without a count. */
export interface Detachment {
  /** The id of the detachment, which is equal in all of its events. */
  detachment: string;
  /** The person who detaches the cluster. */
  by: string;
  /** The number of pods that will be released. */
  podCount: number;
  /** The number of these pods that have not ended, and that nobody will count. */
  runningPodCount: number;
  /** The number of ended pods that no status has counted. */
  uncountedPodCount: number;
}

/**
 * An event in the stream of a Job whose pods are released, or which no controller runs after the detachment; `open`
 * is true when the Job has not finished.
 */
export type JobDetached = RecordedEvent<'job.detached', OfJob & Detachment & { open: boolean }>;

/**
 * This event is recorded before the first finalizer is removed. The numbers are the sums over all Jobs and orphans;
 * `jobCount` is the number of Jobs whose pods are released. `namespaces` are the only detached namespaces; the field
 * is absent for a whole cluster.
 */
export type ClusterDetached = RecordedEvent<
  'cluster.detached',
  Detachment & {
    cluster: string;
    claim: Claim;
    namespaces?: string[];
    jobCount: number;
    /** Pods without a Job. */
    orphanCount: number;
    /** The number of Jobs that have not finished. */
    openJobCount: number;
    /** The number of CronJobs that no longer start Jobs. */
    cronJobCount: number;
    /** The number of placed Jobs that lose their finalizer. */
    placedJobCount: number;
  }
>;

export interface DecisionContent extends OfJob {
  /** The number is 1 for the first decision of the Job. */
  number: number;
  /** The id of the previous decision; null for the first decision. */
  predecessor: string | null;
  /** The first run id of the Temporal workflow that decided. */
  firstRunId: string;
  /** The `now` given to `decide`, in milliseconds since 1970. */
  now: UnixMs;
  /** The version of the core that decided. */
  core: string;
  settings: Settings;
  /**
   * The events that were folded since the previous decision, in order, except events in preceding `job.folded`
   * records.
   */
  folded: Folded[];
  /** The digests of the preceding `job.folded` records of this decision, in order; usually empty. */
  foldedBefore: string[];
  commands: Command[];
  /**
   * The time of the next decision without a new fact, in milliseconds since 1970; null when no such decision is
   * planned.
   */
  nextDecisionAt: UnixMs | null;
  /** The reason why the decision makes no further changes; null without a reason to wait. */
  waiting: Reason | null;
  /**
   * The invariants that the decision breaks: its creations are withheld (J-18.1), unless a person has approved them
   * (J-18.2). The field is absent when the decision breaks no invariant.
   */
  broken?: BrokenInvariant[];
}

export type JobDecided = RecordedEvent<'job.decided', DecisionContent>;

/** One part of a `folded` list that is too long for the decision's own record; `part` counts from 0. */
export type JobFolded = RecordedEvent<
  'job.folded',
  OfJob & { firstRunId: string; number: number; part: number; folded: Folded[] }
>;

/** The outcome of command number `command` (from 0) of a decision. */
export type OutcomeRecorded = RecordedEvent<
  'outcome.recorded',
  OfJob & { decision: string; command: number; attempt: number; outcome: Outcome }
>;

/**
 * The state right after a valid decision, so that a recall need not fold the stream from its beginning. The
 * snapshot proves nothing: `verify` compares it with the fold.
 */
export interface SnapshotContent<S> {
  /** The id and the number of the decision. */
  decision: string;
  number: number;
  /** Only a core with this format of the state can use the snapshot (record/state-format.ts). */
  stateFormat: string;
  state: S;
  /** The id of the last event that was read for the object. */
  until: string;
  /** The ids of the earlier events that are not folded into the state, in order. */
  unfolded: string[];
}

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
  | AwaitedJobObserved
  | ClusterConnected
  | ClusterGap
  | ClusterRestored
  | ClusterDetached
  | JobDetached
  | JobDecided
  | JobFolded
  | OutcomeRecorded
  | JobSnapshotted;

/** An event before it is recorded; the recorder sets `time`. */
export type Unstamped<E extends { time: string }> = Omit<E, 'time'>;
