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
 * A record of the ledger, which is a CloudEvents 1.0 event. `type` is here without the prefix `dev.jobledger.` and
 * the version suffix. `digest` is the digest of the data as recorded.
 */
export interface RecordedEvent<T extends string, D> {
  /** Equal for every record of the same occurrence, so that repeats are recognised. */
  id: string;
  type: T;
  /** The cluster's name for facts, `jobledger/<cluster>` for decisions and outcomes. */
  source: string;
  /** `<namespace>/<name>` of the Job or CronJob; the cluster's name for events of a whole cluster. */
  subject: string;
  /** The time when the event was recorded: RFC 3339 with milliseconds, UTC. */
  time: string;
  digest: string;
  data: D;
  /** The data as recorded, when they had an earlier form of the type; `data` is in the newest form. */
  recorded?: unknown;
}

/** The fields that every event of a Job contains. */
export interface OfJob {
  cluster: string;
  jobUid: string;
}

/**
 * The number of times that the versions of the cluster have started over, because its API server was restored from an
 * older copy. Absent before the first restore. Versions are compared within one epoch only.
 */
export interface InEpoch {
  epoch?: number;
}

/** `withoutTemplate` and `cut` mean that the template or long annotations of a large object were left out. */
export type JobObserved = RecordedEvent<
  'job.observed',
  OfJob & InEpoch & { object: Job; withoutTemplate?: true; cut?: true }
>;

/**
 * `seen: false` means that no watch reported the deletion; `object` is then absent, as for an object that was too
 * large.
 */
export type JobDeleted = RecordedEvent<
  'job.deleted',
  OfJob & InEpoch & { resourceVersion: string; seen: boolean; object?: Job }
>;

/**
 * `listedAt` is the resourceVersion of the list that contained the pod; it may be much newer than the pod's own version.
 * Absent for a pod from a watch.
 */
export type PodObserved = RecordedEvent<
  'pod.observed',
  OfJob & InEpoch & { object: Pod; withoutSpec?: true; cut?: true; listedAt?: string }
>;

export type PodDeleted = RecordedEvent<
  'pod.deleted',
  OfJob & InEpoch & { podUid: string; podName: string; resourceVersion: string; seen: boolean; object?: Pod }
>;

/** A user's request. `by` names the user as far as known. */
export type RequestReceived = RecordedEvent<'request.received', OfJob & ReceivedRequest>;

/**
 * The Job that a user asked to create; `retryOf` is the UID of the Job whose work is done again, `retryOfName` its
 * name.
 */
interface Submission {
  /** The id of the submission, which is equal in both events. */
  submission: string;
  /** The verified name of the user. */
  by: string;
  retryOf?: string;
  retryOfName?: string;
}

/** Recorded before the Job is created, so it belongs to no Job yet. `name` is absent when the cluster generates it. */
export type SubmissionReceived = RecordedEvent<
  'submission.received',
  Submission & { cluster: string; namespace: string; name?: string; generateName?: string }
>;

/** Recorded once the cluster has created the Job. */
export type JobSubmitted = RecordedEvent<'job.submitted', OfJob & Submission>;

/**
 * A request to the API server that changed a Job or one of its pods, from the server's audit log. The event is in the
 * stream of the Job. No decision depends on it.
 */
export type ApiRequestAudited = RecordedEvent<'api-request.audited', OfJob & AuditedRequest>;

/** The recorded parts of an audited request: its sender, and the fields that it named, never their values. */
export interface AuditedRequest {
  resource: 'jobs' | 'pods';
  /** UID and name of the Job or pod. */
  uid: string;
  name: string;
  verb: 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';
  /** The name of the user as whom the request was carried out. */
  by: string;
  /** The user that sent the request as `by`; absent without impersonation. */
  impersonatedBy?: string;
  /** The program, as it calls itself. */
  userAgent?: string;
  /** The version of the object after the request; absent when the response does not have it. */
  resourceVersion?: string;
  /** The fields that a patch named, two levels deep; absent for other verbs. */
  fields?: string[];
  /** The garbage collector deleted the object because its owner is gone. */
  cascade?: true;
  /** The API server failed while it handled the request, which may have had its effect or not. */
  panicked?: true;
  /** RFC 3339: when the API server received the request. */
  receivedAt: string;
  /** The id of the request in the audit log. */
  auditId: string;
}

/** A Job that another waits for, in the stream of the Job that waits. */
export type AwaitedJobObserved = RecordedEvent<
  'awaited-job.observed',
  OfJob & InEpoch & { awaited: AwaitedJob }
>;

/** workflows/job/facts.ts describes the fields; instants are RFC 3339 here. */
export interface AwaitedJob extends Omit<AwaitedFacts, 'end' | 'since'> {
  end?: { type: EndType; reason: string; at: string };
  since?: string;
}

/** `uid` identifies the cluster: it is the UID of the namespace `namespace`, or of kube-system where this is absent. */
export type ClusterConnected = RecordedEvent<
  'cluster.connected',
  { cluster: string; uid: string; version: string; namespace?: string; apis?: string[] }
>;

/**
 * Changes after resourceVersion `from` and up to `to` may be missing, because the API server no longer had them, or because
 * a periodic list found changes that the watch had not reported. `since` and `until` are RFC 3339: the time of the
 * last event, or of the previous list, before the gap, and of the list after it. `namespace` is the only namespace
 * that the gap concerns, where given namespaces are watched.
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
 * `from` the last version of the epoch before, `to` that of the list that showed it; or both are versions of an
 * object that the list shows in an older version. `since`, `until`: as in a gap.
 */
export type ClusterRestored = RecordedEvent<
  'cluster.restored',
  { cluster: string; epoch: number; from: string; to: string; since: string; until: string }
>;

/** The effect of `jobledger admin detach` on pods: their tracking finalizer is removed without a count. */
export interface Detachment {
  /** The id of the detachment, equal in all of its events. */
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
 * An event in the stream of a Job whose pods are released, or that no controller runs from then on; `open` when it
 * has not finished.
 */
export type JobDetached = RecordedEvent<'job.detached', OfJob & Detachment & { open: boolean }>;

/**
 * Recorded before the first finalizer is removed. The sums of all Jobs and orphans; `jobCount`: of how many Jobs pods are released.
 * `namespaces` are the only detached namespaces; absent for the whole cluster.
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
    /** Jobs that have not finished. */
    openJobCount: number;
    /** CronJobs that no longer start Jobs. */
    cronJobCount: number;
    /** Placed Jobs that lose their finalizer. */
    placedJobCount: number;
  }
>;

export interface DecisionContent extends OfJob {
  /** 1 for the first decision of the Job. */
  number: number;
  /** The id of the previous decision; null for the first decision. */
  predecessor: string | null;
  /** First run id of the Temporal workflow that decided. */
  firstRunId: string;
  /** The `now` given to `decide`, in milliseconds since 1970. */
  now: UnixMs;
  /** Version of the core that decided. */
  core: string;
  settings: Settings;
  /** Every event folded since the predecessor, in order, except events in preceding `job.folded` records. */
  folded: Folded[];
  /** Digests of the preceding `job.folded` records of this decision, in order; usually empty. */
  foldedBefore: string[];
  commands: Command[];
  /** The time of the next decision without a new fact, in milliseconds since 1970; null for never. */
  nextDecisionAt: UnixMs | null;
  /** The reason why nothing more is done now; null without a reason to wait. */
  waiting: Reason | null;
  /**
   * The invariants that it breaks: its creations are withheld (J-18.1), unless a person has approved them (J-18.2).
   * Absent when the decision breaks no invariant.
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
 * The state right after a decision that stands, so that a recall need not fold the stream from its beginning. The
 * snapshot proves nothing: `verify` compares it with the fold.
 */
export interface SnapshotContent<S> {
  /** Id and number of the decision. */
  decision: string;
  number: number;
  /** Only a core with this format of the state can use the snapshot (record/state-format.ts). */
  stateFormat: string;
  state: S;
  /** The id of the last event that was read for the object. */
  until: string;
  /** The ids of events up to that event that are not folded into the state, in order. */
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

/** An event before it is recorded: the recorder sets `time`. */
export type Unstamped<E extends { time: string }> = Omit<E, 'time'>;
