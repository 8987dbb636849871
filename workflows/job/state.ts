import type { Approval, Breaking } from '../invariants/approval.ts';
import type { Command } from './commands.ts';
import type { Reason } from './reason.ts';
import type { AwaitedFacts, JobFacts } from './facts.ts';
import type { Gang } from './gang.ts';

/** Everything that the workflow of a Job remembers. Plain JSON: it is passed through continue-as-new and queries. */
export interface JobState {
  /** The Job as last observed or last written by us; null before that. */
  job: JobFacts | null;
  /** The Job does not exist any more. */
  jobGone: boolean;
  /**
   * Only an answer of the API server shows that the Job is gone, or a deletion from before the restore: an
   * observation above the mark brings the Job back.
   */
  isGoneByAnswer: boolean;
  /** The epoch of the versions in this state (events.ts). */
  epoch: number;
  /**
   * Ordinals below this number were used before the latest epoch: an unknown pod with such an ordinal is settled, and
   * not counted.
   */
  settledBelow: number;
  /**
   * The start that was first decided, in the format of the API, until a status shows a start; deadlines count from
   * it.
   */
  startedAt: string | null;
  /**
   * Highest resourceVersion folded of the Job and of its pods: an event at or below it is a repeat. A pod found by a list
   * counts as new as the list; `listed` is the highest version of the pods themselves from the list of version `pods`.
   */
  versions: { job: string; pods: string; listed: string };
  pods: Record<string, PodState>;
  /** UIDs of finished pods that no status on the server counts yet, in the order in which they were folded. */
  uncounted: { succeeded: string[]; failed: string[] };
  /**
   * The resourceVersion of our last change of a pod, by its UID, until the pod is observed again. `gone`: our own change removed the pod. `absent`:
   * an answer showed that it does not exist; an observation above the mark shows the opposite. `counted`: as `absent`, and it is counted or released
   * uncounted, so it never is again.
   */
  written: Record<string, string>;
  backoff: BackoffRecord;
  /**
   * Per-index Jobs only: by index, the UID of the failed pod that waits for its replacement. The pod is neither
   * counted nor released until then (J-5.50).
   */
  delayed: Record<string, string>;
  /** The pod whose failure fails the Job, the first by name, and the message for the condition (J-6.12). */
  failJob: { pod: string; message: string } | null;
  /** Ordinal of the next pod to create; `spentOrdinals` are higher ones that observed pods already use. */
  nextOrdinal: number;
  spentOrdinals: number[];
  /**
   * For Indexed Jobs, whose pods are named by index and ordinal: the next ordinal by index, and `first` for an index that is not listed.
   * `nextOrdinal` is higher than all of these ordinals.
   */
  indexOrdinals: { next: Record<string, number>; first: number };
  /** With a limit of failed pods: the UIDs of existing pods that are counted and released (J-12.5). */
  keptPods: Record<string, KeptPod>;
  /** The invalid annotations that an Event has reported (J-12.8). */
  warned: string[];
  /** The predecessors of the Job, and whether it waits (J-12.6). */
  chain: ChainState;
  /** True when the pods that are older than a Job with `manualSelector` have been looked up. */
  orphansFound: boolean;
  /**
   * After a restore of the API server, until its pods are listed again (J-3.30): the last listed name, '' before the
   * first.
   */
  listedTo?: string;
  /** With gang scheduling, for a Job whose pods can be a gang; null until the gang is decided (J-8.2). */
  gang: Gang | null;
  /** Requests of users (suspend, resume) that no decision has handled yet. */
  requests: { id: string; action: 'suspend' | 'resume'; by: string }[];
  /** Ids of the latest requests, the newest last, to recognise a repeat. */
  requested: string[];
  /** The errors since the API server last accepted a command of a kind, by that kind. */
  retries: Partial<Record<Command['kind'], Retry>>;
  /** The last decision: its core version, and `now` in milliseconds since 1970. */
  last: { number: number; id: string; core: string; now: number } | null;
  /** Events folded since the last decision. */
  folded: Folded[];
  /** The reason to wait that was recorded last. */
  waiting: Reason | null;
  /** The approval of a person that the last decision has not ended (J-18.2). */
  approval: Approval | null;
  /** The invariants that the last decision breaks (J-18.1); null when the decision breaks no invariant. */
  breaking: Breaking | null;
  /** Commands of the last decision; empty when all commands have an outcome. */
  pending: Command[];
  /** The epoch in which the last decision was made. */
  decidedIn: number;
}

/** An event that was folded before a decision, and its digest at that time. */
export interface Folded {
  id: string;
  digest: string;
}

/**
 * A pod of the Job, kept small because there may be thousands: a field with its usual value is absent. Instants are
 * seconds since 1970. The name follows from `ordinal`; `name` is set only for pods whose name does not.
 */
export interface PodState {
  ordinal?: number;
  name?: string;
  created: number;
  /** Absent means Running. */
  phase?: string;
  /** The time when the pod became ready; absent when it is not ready. */
  ready?: number;
  unscheduled?: true;
  deleting?: true;
  /** The pod has no tracking finalizer. */
  untracked?: true;
  /** The task of claiming: adopt the pod, disown it, or only remove our finalizer (free). Absent for our own pods. */
  claim?: 'adopt' | 'disown' | 'free';
  /** The status on the server counts the pod, or the pod is not to be counted. */
  counted?: true;
  /** The pod had ended, and was counted and released; its status shows an earlier phase again. */
  over?: true;
  /** The pod is excluded from the count: it is deleted because the Job succeeds, so its end does not matter (J-4.17). */
  excluded?: true;
  /** The API server refused to release the pod, so other pods are counted without it. */
  refused?: true;
  /** While the Job is not known: the namespace and the name of the controller. */
  owner?: { namespace: string; controller?: string };
  /** The pod was created by us and is not observed yet. */
  unseen?: true;
  /** The time when a command read the pod, which is not observed yet, in seconds. */
  readAt?: number;
  /** The pod is deleted on the API server, but not counted yet. */
  gone?: true;
  finished?: number;
  restarts?: number;
  maxRestarts?: number;
  maxSidecarRestarts?: number;
  index?: number;
  /** The index of its creation, when its annotation has another index. */
  createdFor?: number;
  failureCount?: number;
  ignoredFailureCount?: number;
  exits?: { container: string; code: number }[];
  conditions?: { type: string; status: string }[];
}

/**
 * `phase` is `open` while the Job has been suspended since it was first seen, `over` after it was resumed, and
 * otherwise `none`.
 */
export interface ChainState {
  phase: 'open' | 'over' | 'none';
  /** The Jobs for which the Job waits, directly or through other Jobs, by name. */
  awaited: Record<string, AwaitedState>;
  /** The facts that Events have reported about the chain. */
  reported: string[];
}

/** A predecessor of a Job, without its name. */
export type AwaitedState = Omit<AwaitedFacts, 'name'>;

/** `finished`: in seconds since 1970. */
export interface KeptPod {
  name: string;
  finished: number;
}

/** Finish times in milliseconds. The back-off delay counts the failures after the last success (J-5.42). */
export interface BackoffRecord {
  lastSuccess: number;
  /** The latest failures, newest first; older ones do not change the delay. */
  failures: number[];
}

/**
 * Consecutive API errors of one kind of command, and the instant until which that kind is held back, in milliseconds
 * (J-3.2).
 */
export interface Retry {
  errors: number;
  until: number;
  message: string;
}

export const INITIAL_STATE: JobState = {
  job: null,
  jobGone: false,
  isGoneByAnswer: false,
  epoch: 0,
  settledBelow: 0,
  startedAt: null,
  versions: { job: '', pods: '', listed: '' },
  pods: {},
  uncounted: { succeeded: [], failed: [] },
  written: {},
  backoff: { lastSuccess: 0, failures: [] },
  delayed: {},
  failJob: null,
  nextOrdinal: 0,
  spentOrdinals: [],
  indexOrdinals: { next: {}, first: 0 },
  keptPods: {},
  warned: [],
  chain: { phase: 'open', awaited: {}, reported: [] },
  orphansFound: false,
  gang: null,
  requests: [],
  requested: [],
  retries: {},
  last: null,
  folded: [],
  waiting: null,
  approval: null,
  breaking: null,
  pending: [],
  decidedIn: 0,
};
