import type { Job, Pod } from '../kubernetes/objects.ts';
import type { Command } from './commands.ts';
import type { Outcome } from './outcomes.ts';
import type { Reason } from './reason.ts';
import type { Settings } from './settings.ts';

/**
 * What stands in the ledger. One record is one CloudEvents 1.0 event; this is its content in our own words, `type`
 * without the `dev.jobledger.` before and the version after. `digest` is that of `data`.
 */
interface Recorded<T extends string, D> {
  /** The same for every record of the same happening: a repeat is recognised by it. */
  id: string;
  type: T;
  /** The cluster's name for facts, `jobledger/<cluster>` for decisions and outcomes. */
  source: string;
  /** `<namespace>/<job name>`; the cluster's name for events of a whole cluster. */
  subject: string;
  /** RFC 3339 with milliseconds, UTC: when it was recorded. */
  time: string;
  digest: string;
  data: D;
}

/** Every event of a Job names it so. */
export interface OfJob {
  cluster: string;
  jobUid: string;
}

export type JobObserved = Recorded<'job.observed', OfJob & { object: Job; withoutTemplate?: true }>;

/** `seen: false`: it went between two instants while nobody watched; `object` is absent then. */
export type JobDeleted = Recorded<
  'job.deleted',
  OfJob & { resourceVersion: string; seen: boolean; object?: Job }
>;

/**
 * `listedAt`: the resourceVersion of the list that showed it; the pod was so when the collection was at that version. It
 * may be far newer than the pod's own, and than others' that were recorded before. Absent when a watch told it.
 */
export type PodObserved = Recorded<
  'pod.observed',
  OfJob & { object: Pod; withoutSpec?: true; listedAt?: string }
>;

export type PodDeleted = Recorded<
  'pod.deleted',
  OfJob & { podUid: string; podName: string; resourceVersion: string; seen: boolean; object?: Pod }
>;

/** A person's wish. `by` is who, as far as known. */
export type CommandReceived = Recorded<
  'command.received',
  OfJob & { command: 'suspend' | 'resume'; by: string }
>;

/** `uid` is that of the kube-system namespace: the cluster's identity. */
export type ClusterConnected = Recorded<
  'cluster.connected',
  { cluster: string; uid: string; version: string }
>;

/**
 * What happened after resourceVersion `from` and up to `to` may be missing: the API server no longer had it. `since` and
 * `until` are the instants, RFC 3339: of the last event before, and of the list that came after.
 */
export type ClusterGap = Recorded<
  'cluster.gap',
  {
    cluster: string;
    resource: 'jobs' | 'pods';
    from: string;
    to: string;
    since: string;
    until: string;
    reason: string;
  }
>;

/** One event that a decision had folded, and the digest it then had. */
export interface Folded {
  id: string;
  digest: string;
}

export interface DecisionContent extends OfJob {
  /** 1 for the first decision of the Job. */
  number: number;
  /** Id of the decision before; null for the first. */
  predecessor: string | null;
  /** First run id of the Temporal workflow that decided. */
  chain: string;
  /** Milliseconds since the epoch: the instant that `decide` took as now. */
  now: number;
  /** Version of the core that decided. */
  core: string;
  settings: Settings;
  /** Everything folded since the predecessor, in order, less what stands in `job.folded` records before. */
  folded: Folded[];
  /** Digests of the `job.folded` records before this one that belong to it, in order; empty for a short list. */
  foldedBefore: string[];
  commands: Command[];
  /** Milliseconds since the epoch at which time alone changes the answer; null when it never does. */
  lookAgainAt: number | null;
  /** Why nothing more is done for now; null when there is nothing to wait for. */
  waiting: Reason | null;
}

export type JobDecided = Recorded<'job.decided', DecisionContent>;

/** The part of a decision's `folded` that is too long for one record; `part` counts from 0. */
export type JobFolded = Recorded<
  'job.folded',
  OfJob & { chain: string; number: number; part: number; folded: Folded[] }
>;

/** What the cluster answered to command number `command` (from 0) of a decision. */
export type CommandAnswered = Recorded<
  'command.answered',
  OfJob & { decision: string; command: number; attempt: number; answer: Outcome }
>;

export type JobEvent =
  | JobObserved
  | JobDeleted
  | PodObserved
  | PodDeleted
  | CommandReceived
  | ClusterConnected
  | ClusterGap
  | JobDecided
  | JobFolded
  | CommandAnswered;

export type EventType = JobEvent['type'];

/** An event before it is recorded: `time` is the recorder's. */
export type Unstamped<E extends JobEvent> = Omit<E, 'time'>;
