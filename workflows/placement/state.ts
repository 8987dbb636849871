import type { Approval, Breaking } from '../decision/invariants/approval.ts';
import type { EndType } from '../batch/conditions.ts';
import type { Reason } from '../decision/reason.ts';
import type { Folded } from '../decision/stream.ts';
import type { Retry } from '../decision/retry.ts';
import type { Continued, Counters, EndReason, PlacementCommand, StopReason } from './commands.ts';
import type { MemberFacts, PlacedJobFacts } from './facts.ts';
import type { ContinuedFailures } from '../batch/facts.ts';
import type { MemberPods } from './outcomes.ts';
import type { LeftFailures } from './settings.ts';

/** Everything that the workflow of a placed Job remembers: plain JSON, bounded by the grants that had a member. */
export interface PlacementState {
  /** The placed Job as Jobledger last observed or wrote it; null until it is observed. */
  job: PlacedJobFacts | null;
  gone: boolean;
  /**
   * The number of times that the versions of the home cluster have started over; all versions of the placed Job
   * belong to this epoch.
   */
  epoch: number;
  /** The version up to which facts about the placed Job are repeats. */
  version: string;
  /**
   * Each grant of the Job to a cluster, the latest last; grants that a cluster refused some time ago are left out.
   */
  grants: PlacementGrant[];
  /** The reason why the Job does not go to a cluster for a while, by the name of the cluster. */
  setbacks: Record<string, Setback>;
  /**
   * The pods of a spread Job that may run at once in each cluster, and the instant of the last computation of the
   * shares, in milliseconds; null before the first computation.
   */
  shares: { at: number; pods: Record<string, number> } | null;
  /** The first start of the Job since its last suspension, in the format of the API. */
  startedAt: string | null;
  /** Requests of users (suspend, resume) that no decision has handled yet. */
  requests: { id: string; action: 'suspend' | 'resume'; by: string }[];
  /** The ids of the latest requests, the newest last; they identify repeats. */
  requested: string[];
  /** The messages that Events have reported, so that each message is reported once. */
  reported: string[];
  /**
   * The errors since a command was last accepted, by the `retryKey` of the command. `isFailed` means that the API
   * server has answered with an error; `keepsOldValues`, that the cluster has accepted the command, and keeps its former
   * values.
   */
  retries: Record<string, Retry & { isUnanswered?: true; isFailed?: true; keepsOldValues?: true }>;
  last: { number: number; id: string; core: string; now: number } | null;
  /** The events that were folded since the last decision. */
  folded: Folded[];
  /** The reason to wait that was recorded last. */
  waiting: Reason | null;
  /** The approval of a person that the last decision has not ended (J-18.2). */
  approval: Approval | null;
  /** The invariants that the last decision breaks (J-18.1); null when the decision breaks no invariant. */
  breaking: Breaking | null;
  /** The commands of the last decision; empty once all commands have an outcome. */
  pending: PlacementCommand[];
  /** The epoch in which the last decision was made. */
  decidedIn: number;
}

/**
 * The number of consecutive members that a cluster refused, or that were deleted in the cluster; `until` is the
 * instant, in milliseconds, at which the cluster is asked again.
 */
export type Setback = Retry & { kind: 'refused' | 'deleted' };

/**
 * The right to run the Job, given to one cluster. Only the latest grant may be open; the ends of the earlier grants are proven, or recorded by a
 * person (`EndReason`).
 */
export interface PlacementGrant {
  /** From 1. */
  number: number;
  cluster: string;
  /** The name of the member. */
  name: string;
  /** The instant of the decision that gave the grant, in milliseconds. */
  since: number;
  /** The mark that identifies the member in an answer: the id of the decision, which nobody can guess. */
  mark: string;
  /** The member; null until an outcome shows that the member was created. */
  member: MemberFacts | null;
  /** An answer has shown the member, and no watch has shown it yet. */
  isUnseen?: true;
  /**
   * The last deleted Job with the name of the member, while the member is not known or is gone; `isOver` means that
   * no pod of that Job is left.
   */
  seenGone?: Pick<MemberFacts, 'uid' | 'resourceVersion' | 'epoch'> & { isOver?: true };
  /** UIDs of the Jobs with the name and the mark of the member that the member has replaced and whose pods may run; the latest last. */
  replaced?: string[];
  /** The smallest `completions` of the Job since the grant, after the Job was made smaller: the Job runs the indexes beyond this number again. */
  fewest?: number;
  /** The counts of the members that the present member has replaced. */
  earlier?: Counters;
  /** The number of decisions to create the member; decisions of which no request was sent are left out. */
  requests: number;
  /**
   * The instant of the last decision to create the member, or of the answer to its request if a request may still
   * arrive after that answer, in milliseconds.
   */
  askedAt: number;
  /**
   * The instant of the decision whose look-up found no member although the creation of the member got no answer, in
   * milliseconds.
   */
  absentAt?: number;
  /**
   * The epoch of the cluster when the first request was sent, or the later epoch in which the cluster was observed
   * without the member; absent while unknown.
   */
  askedIn?: number;
  /** The counters and failures that the member continues; such a member begins suspended (J-16.10). */
  continues?: Continued;
  /**
   * The deadline of the member: `jobSeconds`, which is the `activeDeadlineSeconds` of the Job, counts from the first
   * start of the Job, and `seconds` from the start of the member.
   */
  deadline?: { jobSeconds: number; seconds: number };
  /** The indexes of the member, when the Job is spread (J-17.3). */
  part?: IndexPart;
  /** The guard of the member, when the Job asks for a guard (J-16.16). */
  guard?: Guard;
  /** The cluster refused to create the member, or another Job has the name of the member. */
  refused?: string;
  /** The cluster has not refused the member: the Job had changed before the creation was sent. */
  isStale?: true;
  /** A request without an answer may have arrived, or may still arrive. */
  isDoubtful?: true;
  /** The member no longer exists. */
  gone?: true;
  /** The member is the second member of its grant: a late request has created the member after another client had deleted the first member. */
  isAgain?: true;
  /** The first decision after the cluster was restored from an older copy, in milliseconds; null between the restore and that decision. */
  restoredAt?: number | null;
  /**
   * An answer of this instant shows that the member is gone, and no watch has shown this yet: the cluster may have
   * been restored.
   */
  missingAt?: number;
  /** An answer of this instant shows a member that was known to be gone: the cluster may have been restored. */
  thereAt?: number;
  /** The member was known to be gone at the last look-up. */
  isLookedForGone?: true;
  /**
   * The version of the Jobs of the cluster that the last look-up has read; `isOfCopy` means that this version is
   * older than a version that was known before.
   */
  listed?: Pick<MemberFacts, 'resourceVersion' | 'epoch'> & { isOfCopy?: true };
  /**
   * The last instant at which a request to resume the member may have been sent, if this request can still arrive, in
   * milliseconds.
   */
  resumedAt?: number;
  /** Jobledger has deleted the member. */
  deleted?: true;
  /** The reason why the member is stopped; absent while the member may run. */
  stopping?: StopReason;
  /** The instant of the decision to stop the member, in milliseconds. */
  stoppedAt?: number;
  /**
   * The pods in the last list, the instant of the decision to list them, in milliseconds, and the number of lists.
   * `isOld` means that the list has an older version of the member than the known version, so the list proves nothing
   * about the member.
   */
  pods?: MemberPods & { at: number; times: number; isOld?: true };
  /**
   * The failures that the next members of the indexes of an ended grant continue, in a spread Job (J-16.23). `failed`
   * is the number of failures that the status of the member counted at the end of the grant.
   */
  left?: LeftFailures & { failed: number };
  /** The end of the grant; absent while the cluster has the Job. */
  ended?: { at: number; reason: EndReason };
}

/** The indexes that one member of a spread Job may run. Indexes are written as in the status of a Job. */
export interface IndexPart {
  /** The number of the latest grant of indexes that was sent to the member. */
  number: number;
  indexes: string;
  /**
   * The indexes that the member must keep; all of `indexes` belong to the member until it has acknowledged this list
   * and no pod of the other indexes is left (J-17.4).
   */
  keeps?: string;
  /**
   * The indexes that the member has not given up on request, and the instant at which the member is asked again, in
   * milliseconds. The field is absent without such indexes.
   */
  begun?: { indexes: string; until: number };
  /** The number of pods that the member may run at once. */
  parallelism: number;
  /** The failures that the member continues from the clusters that had its indexes before (J-16.23). */
  failures?: ContinuedFailures;
  /** The Job has reached its end, and Jobledger asks its member to end. */
  end?: EndType;
}

/**
 * A Job of the cluster's own controller that owns the member: unless Jobledger renews the guard, both Jobs are
 * deleted.
 */
export interface Guard {
  uid: string | null;
  /** The cluster's own Job controller counts the deadline of the guard. */
  isStarted: boolean;
  /** The lease of the guard of this grant; a later change of the annotation changes only the next grant. */
  leaseSeconds: number;
  /**
   * The latest instant at which a renewal may have been computed, in milliseconds, whether or not the renewal was
   * answered.
   */
  renewedAt: number;
  /** The instant of the decision to renew the guard, in milliseconds, while the decision has no outcome. */
  askedAt?: number;
  /** The guard was deleted. */
  gone?: true;
  /** The cluster was restored after the guard was known to be gone, so an older copy may have the guard again. */
  isUnproven?: true;
}

export const INITIAL_STATE: PlacementState = {
  job: null,
  gone: false,
  epoch: 0,
  version: '',
  grants: [],
  setbacks: {},
  shares: null,
  startedAt: null,
  requests: [],
  requested: [],
  reported: [],
  retries: {},
  last: null,
  folded: [],
  waiting: null,
  approval: null,
  breaking: null,
  pending: [],
  decidedIn: 0,
};
