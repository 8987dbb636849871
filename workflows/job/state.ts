import type { Folded } from '../decision/stream.ts';
import type { Retry } from '../decision/retry.ts';
import type { Approval, Breaking } from '../decision/invariants/approval.ts';
import type { Command } from './commands.ts';
import type { Reason } from '../decision/reason.ts';
import type { AwaitedFacts } from './facts.ts';
import type { JobFacts } from '../batch/facts.ts';
import type { Gang } from './gang.ts';

/**
 * Everything that the workflow of a Job remembers. The state is plain JSON, because it is passed through
 * continue-as-new and queries.
 */
export interface JobState {
  /** The Job as Jobledger last observed or wrote it; null before the first observation. */
  job: JobFacts | null;
  /** True when the Job no longer exists. */
  jobGone: boolean;
  /**
   * True when only an answer of the API server, or a deletion from before the restore, shows that the Job is gone: an
   * observation above the mark then shows that the Job exists.
   */
  isGoneByAnswer: boolean;
  /** The epoch of the versions in this state (events.ts). */
  epoch: number;
  /**
   * Ordinals below this number were used before the latest epoch; an unknown pod with such an ordinal is settled, and
   * not counted.
   */
  settledBelow: number;
  /**
   * The start that was first decided, in the format of the API, until a status shows a start; deadlines count from
   * it.
   */
  startedAt: string | null;
  /**
   * The highest folded resourceVersion of the Job and of its pods: an event with this version or a lower version is a
   * repeat. A pod from a list counts as new as the list; `listed` is the highest version of the pods themselves in
   * the list of version `pods`.
   */
  versions: { job: string; pods: string; listed: string };
  pods: Record<string, PodState>;
  /** The UIDs of finished pods that no status on the server counts yet, in the order in which they were folded. */
  uncounted: { succeeded: string[]; failed: string[] };
  /**
   * The resourceVersion of the last change of a pod by Jobledger, by the UID of the pod, until the pod is observed
   * again. `gone` means that a change by Jobledger removed the pod. `absent` means that an answer showed that the pod
   * does not exist; an observation above the mark shows the opposite. `counted` means the same as `absent`, and also
   * that the pod is counted, or released without a count, so that it is never counted again.
   */
  written: Record<string, string>;
  backoff: BackoffRecord;
  /**
   * The UID of the failed pod that waits for its replacement, by index; only for Jobs with a back-off limit per
   * index. Such a pod is neither counted nor released before its replacement exists (J-5.50).
   */
  delayed: Record<string, string>;
  /**
   * The pod whose failure fails the Job, which is the first such pod by name, and the message for the condition
   * (J-6.12).
   */
  failJob: { pod: string; message: string } | null;
  /** The ordinal of the next pod to create; `spentOrdinals` are higher ordinals that observed pods already use. */
  nextOrdinal: number;
  spentOrdinals: number[];
  /**
   * The next ordinals of an Indexed Job, by index, because its pods are named by index and ordinal; `first` is the
   * next ordinal of an index that is not listed. `nextOrdinal` is higher than all of these ordinals.
   */
  indexOrdinals: { next: Record<string, number>; first: number };
  /** The UIDs of existing pods that are counted and released, for a Job with a limit of failed pods (J-12.5). */
  keptPods: Record<string, KeptPod>;
  /** The invalid annotations that an Event has reported (J-12.8). */
  warned: string[];
  /** The predecessors of the Job, and whether the Job waits for them (J-12.6). */
  chain: ChainState;
  /** True when the pods that are older than a Job with `manualSelector` have been looked up. */
  orphansFound: boolean;
  /**
   * The last listed name after a restore of the API server, until the pods of the API server are listed again
   * (J-3.30); empty before the first list.
   */
  listedTo?: string;
  /** The gang of a Job whose pods can be a gang, with gang scheduling; null until the gang is decided (J-8.2). */
  gang: Gang | null;
  /** Requests of users (suspend, resume) that no decision has handled yet. */
  requests: { id: string; action: 'suspend' | 'resume'; by: string }[];
  /** The ids of the latest requests, the newest last; they identify repeats. */
  requested: string[];
  /** The errors since the API server last accepted a command, by the kind of the command. */
  retries: Partial<Record<Command['kind'], Retry>>;
  /** The version of the core that made the last decision, and `now` of this decision in milliseconds since 1970. */
  last: { number: number; id: string; core: string; now: number } | null;
  /** The events that were folded since the last decision. */
  folded: Folded[];
  /** The reason to wait that was recorded last. */
  waiting: Reason | null;
  /** The approval of a person that the last decision has not ended (J-18.2). */
  approval: Approval | null;
  /** The invariants that the last decision breaks (J-18.1); null when the decision breaks no invariant. */
  breaking: Breaking | null;
  /** The commands of the last decision; empty when all commands have an outcome. */
  pending: Command[];
  /** The epoch in which the last decision was made. */
  decidedIn: number;
}

/**
 * A pod of the Job, in a short form because there may be thousands of pods: a field with its usual value is absent.
 * Instants are seconds since 1970. The name follows from `ordinal`; `name` is set only for pods whose name does not
 * follow from it.
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
  /** True when the pod has no tracking finalizer. */
  untracked?: true;
  /**
   * The claiming that the pod needs: adopt the pod, disown it, or only remove the finalizer of Jobledger (`free`).
   * The field is absent for pods that the Job controls.
   */
  claim?: 'adopt' | 'disown' | 'free';
  /** True when the status on the server counts the pod, or when the pod must not be counted. */
  counted?: true;
  /** True when the pod had ended, and was counted and released, and its status again shows an earlier phase. */
  over?: true;
  /**
   * True when the pod is excluded from the count, because it is deleted when the Job succeeds, so its end does not
   * matter (J-4.17).
   */
  excluded?: true;
  /** True when the API server refused to release the pod, so that other pods are counted without it. */
  refused?: true;
  /** The namespace and the name of the controller, while the Job is not known. */
  owner?: { namespace: string; controller?: string };
  /** True when Jobledger created the pod and the pod is not observed yet. */
  unseen?: true;
  /** The time when a command read a pod that is not observed yet, in seconds. */
  readAt?: number;
  /** True when the pod is deleted on the API server, but not counted yet. */
  gone?: true;
  finished?: number;
  restarts?: number;
  maxRestarts?: number;
  maxSidecarRestarts?: number;
  index?: number;
  /** The index with which the pod was created, when its annotation has another index. */
  createdFor?: number;
  failureCount?: number;
  ignoredFailureCount?: number;
  exits?: { container: string; code: number }[];
  conditions?: { type: string; status: string }[];
}

/**
 * `phase` is `open` while the Job has been suspended since it was first observed, `over` after it was resumed, and
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

/** The finish times are in milliseconds. The back-off delay counts the failures after the last success (J-5.42). */
export interface BackoffRecord {
  lastSuccess: number;
  /** The latest failures, newest first; older failures do not change the delay. */
  failures: number[];
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
