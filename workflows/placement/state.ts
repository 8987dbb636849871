import type { Approval, Breaking } from '../invariants/approval.ts';
import type { EndType } from '../job/definitions/conditions.ts';
import type { Reason } from '../job/reason.ts';
import type { Folded, Retry } from '../job/state.ts';
import type { Continued, Counters, EndReason, PlacementCommand, StopReason } from './commands.ts';
import type { MemberFacts, PlacedJobFacts } from './facts.ts';
import type { ContinuedFailures } from '../job/facts.ts';
import type { MemberPods } from './outcomes.ts';
import type { LeftFailures } from './settings.ts';

/** Everything that the workflow of a placed Job remembers: plain JSON, bounded by the grants that had a member. */
export interface PlacementState {
  /** The placed Job as last observed or last written by us; null until then. */
  job: PlacedJobFacts | null;
  gone: boolean;
  /** How often the versions of the home cluster have started over; all versions of the placed Job are of this epoch. */
  epoch: number;
  /** The version up to which facts about the placed Job are repeats. */
  version: string;
  /** Each cluster that the Job was given to, the latest last, without those that refused it a while ago. */
  grants: PlacementGrant[];
  /** By cluster: why the Job does not go there for a while. */
  setbacks: Record<string, Setback>;
  /** Of a spread Job: the pods that may run at once in each cluster, and when they were last computed, in milliseconds; null before. */
  shares: { at: number; pods: Record<string, number> } | null;
  /** When the Job first started, as the API writes it, since it was last suspended. */
  startedAt: string | null;
  /** Requests of users (suspend, resume) that no decision has handled yet. */
  requests: { id: string; action: 'suspend' | 'resume'; by: string }[];
  /** Ids of the latest requests, the newest last, to recognise a repeat. */
  requested: string[];
  /** What Events have reported, so that it is reported once. */
  reported: string[];
  /**
   * By `retryKey` of a command: the errors since one was last accepted. `isFailed`: the API server has answered with an error; `isKept`: the
   * cluster has accepted it, and keeps what it had.
   */
  retries: Record<string, Retry & { isUnanswered?: true; isFailed?: true; isKept?: true }>;
  last: { number: number; id: string; core: string; now: number } | null;
  /** Events folded since the last decision. */
  folded: Folded[];
  /** The reason to wait that was recorded last. */
  waiting: Reason | null;
  /** The approval of a person that the last decision has not ended (J-18.2). */
  approval: Approval | null;
  /** What the last decision breaks (J-18.1); null when it breaks nothing. */
  breaking: Breaking | null;
  /** Commands of the last decision; empty once all have an outcome. */
  pending: PlacementCommand[];
  /** The epoch in which the last decision was made. */
  decidedIn: number;
}

/** Members that a cluster refused, or that were deleted there, in a row; `until`: when it is asked again, in milliseconds. */
export type Setback = Retry & { kind: 'refused' | 'deleted' };

/**
 * The right to run the Job, given to one cluster. Only the latest may be `given`; the ends of the others are proven or recorded by a person
 * (`EndReason`).
 */
export interface PlacementGrant {
  /** From 1. */
  number: number;
  cluster: string;
  /** Name of the member. */
  name: string;
  /** Of the decision that gave it, in milliseconds. */
  since: number;
  /** The mark on the member by which an answer recognises it: id of the decision, which nobody can guess. */
  mark: string;
  /** The member; null until an outcome says that it was created. */
  member: MemberFacts | null;
  /** An answer has shown the member, and no watch yet. */
  isUnseen?: true;
  /** The last Job with the name of the member that was deleted, while the member is not known or gone; `isOver`: none of its pods is left. */
  seenGone?: Pick<MemberFacts, 'uid' | 'resourceVersion' | 'epoch'> & { isOver?: true };
  /** UIDs of Jobs with the name and the mark of the member that it has replaced, and whose pods may run; the latest last. */
  replaced?: string[];
  /** The smallest `completions` of the Job since the grant, after it was made smaller: it runs the indexes beyond them again. */
  fewest?: number;
  /** The counts of the members that this one has replaced. */
  earlier?: Counters;
  /** The decisions to create the member, without those of which nothing was sent. */
  requests: number;
  /** The last of them, or its answer when that says that a request may still arrive, in milliseconds. */
  askedAt: number;
  /** When a look-up found no member although its creation had no answer: the decision, in milliseconds. */
  absentAt?: number;
  /** The epoch of its cluster when the first of the requests was sent, or the later one in which it was seen without the member; absent while unknown. */
  askedIn?: number;
  /** What the member continues; it begins suspended then (J-16.10). */
  continues?: Continued;
  /**
   * The deadline with which the member runs: `jobSeconds`, the Job's `activeDeadlineSeconds`, counts from the first start of the Job, `seconds` from
   * the start of the member.
   */
  deadline?: { jobSeconds: number; seconds: number };
  /** Its indexes, when the Job is spread (J-17.3). */
  part?: IndexPart;
  /** Its guard, when the Job asks for one (J-16.16). */
  guard?: Guard;
  /** The cluster refused to create the member, or another Job has the name. */
  refused?: string;
  /** The cluster has not refused it: the Job had changed by then. */
  isStale?: true;
  /** A request may have arrived, or may still, and no answer says so. */
  isDoubtful?: true;
  /** The member does not exist any more. */
  gone?: true;
  /** The member is the second one of its grant: a late request has created it after another client had deleted the first. */
  isAgain?: true;
  /** Its cluster was restored from an older copy: the first decision after that, in milliseconds; null before it. */
  restoredAt?: number | null;
  /** An answer of this instant says that it is gone, and no watch does yet: its cluster may have been restored. */
  missingAt?: number;
  /** An answer of this instant shows it, and it was known to be gone: its cluster may have been restored. */
  thereAt?: number;
  /** It was known to be gone when it was last looked up. */
  isLookedForGone?: true;
  /** The version of the Jobs of its cluster that the last look-up has read; `isOfCopy`: an older one than was known before. */
  listed?: Pick<MemberFacts, 'resourceVersion' | 'epoch'> & { isOfCopy?: true };
  /** A request to resume the member may arrive that was sent until then, in milliseconds. */
  resumedAt?: number;
  /** Deleted by us. */
  deleted?: true;
  /** Why it is stopped; absent while it may run. */
  stopping?: StopReason;
  /** The decision to stop it, in milliseconds. */
  stoppedAt?: number;
  /**
   * The pods as last listed, the decision at which they were, in milliseconds, and how often they have been. `isOld`: with an older version of
   * the member than the known one, so they say nothing of it.
   */
  pods?: MemberPods & { at: number; times: number; isOld?: true };
  /**
   * Of a spread Job, after its end: the failures that the next members of its indexes continue (J-16.23). `failed`: what the status of the
   * member counted then.
   */
  left?: LeftFailures & { failed: number };
  /** How it ended; absent while the cluster holds the Job. */
  ended?: { at: number; reason: EndReason };
}

/** What one member of a spread Job may run. Indexes are as in a status. */
export interface IndexPart {
  /** Of the latest grant that was sent to the member. */
  number: number;
  indexes: string;
  /** The indexes that it is to keep; until it has acknowledged that and no pod of the others is left, all are its own (J-17.4). */
  keeps?: string;
  /** The indexes that it has not given up when asked to, and until when it is not asked for them again, in milliseconds. Absent when there are none. */
  begun?: { indexes: string; until: number };
  /** How many pods it may run at once. */
  parallelism: number;
  /** What it continues of the clusters that had its indexes before (J-16.23). */
  failures?: ContinuedFailures;
  /** The Job has reached its end, and its member is asked to end. */
  end?: EndType;
}

/** A Job of the cluster's own controller that owns the member: when nobody renews it, both are deleted. */
export interface Guard {
  uid: string | null;
  /** The cluster's own Job controller counts the deadline. */
  isStarted: boolean;
  /** Of the grant; a later change of the annotation changes the next grant only. */
  leaseSeconds: number;
  /** The latest instant at which a renewal can have been computed, in milliseconds, whether it was answered or not. */
  renewedAt: number;
  /** Of the decision to renew it, while that has no outcome, in milliseconds. */
  askedAt?: number;
  /** It was deleted. */
  gone?: true;
  /** Its cluster was restored since that was known: an older copy may have it again. */
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
