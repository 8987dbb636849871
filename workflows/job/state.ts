import type { Command } from './commands.ts';
import type { Folded } from './events.ts';
import type { Reason } from './reason.ts';
import type { JobFacts } from './facts.ts';

/** All that a Job's workflow remembers: plain JSON, it crosses continue-as-new, queries and golden files. */
export interface JobState {
  /** As last observed, or as we last wrote it; null until seen. */
  job: JobFacts | null;
  /** The Job does not exist any more. */
  jobGone: boolean;
  /**
   * Highest resourceVersion folded: whatever comes at or below is a repeat. What a list found is as new as that list, so
   * of pods from a list of the version `pods`, `listed` is the highest version of their own.
   */
  marks: { job: string; pods: string; listed: string };
  pods: Record<string, PodState>;
  /** UIDs of finished pods that no status on the server contains yet, in the order in which they were folded. */
  owed: { succeeded: string[]; failed: string[] };
  /** Pods as we last changed them and have not seen again; `gone` when the API server no longer knew them. */
  written: Record<string, string>;
  backoff: BackoffRecord;
  /**
   * Of a per-index Job, by index: the uid of the failed pod that waits for its replacement. It is neither counted nor
   * released until then (J-5.50).
   */
  delayed: Record<string, string>;
  /** A pod has failed so that the Job does: the one that comes first by name, and the message (J-6.12). */
  failJob: { pod: string; message: string } | null;
  /** Ordinal of the next creation; `spentOrdinals` are those above it that pods were seen to have. */
  nextOrdinal: number;
  spentOrdinals: number[];
  /**
   * Of an Indexed Job, whose pods are named by index and ordinal: the ordinal of the next creation of an index, and of
   * an index that is not listed. `nextOrdinal` is above them all.
   */
  indexOrdinals: { next: Record<string, number>; first: number };
  /** Pods that are older than a Job with a selector of its author's own have been looked up. */
  orphansFound: boolean;
  /** Wishes of people, not yet decided upon. */
  requests: { id: string; command: 'suspend' | 'resume'; by: string }[];
  /** Ids of the wishes that were folded last, the newest last: one of them that comes again is a repeat. */
  requested: string[];
  /** Kinds of commands whose last one the API refused. */
  retries: Partial<Record<Command['kind'], Retry>>;
  /** The last decision: which core made it, and the instant that it took as now, in milliseconds. */
  last: { number: number; id: string; core: string; now: number } | null;
  /** Folded since the last decision. */
  folded: Folded[];
  /** The reason to wait that was last recorded. */
  waiting: Reason | null;
  /** Commands of the last decision; empty once all are answered. */
  pending: Command[];
}

/**
 * A pod of the Job; what has its usual value is absent, as there may be thousands. Instants are seconds since the
 * epoch. Its name is given by `ordinal`, or by `name` where no ordinal gives it.
 */
export interface PodState {
  ordinal?: number;
  name?: string;
  created: number;
  /** Absent: Running. */
  phase?: string;
  /** Ready, and since when. */
  ready?: number;
  unscheduled?: true;
  deleting?: true;
  /** Carries no tracking finalizer. */
  untracked?: true;
  /** Not one of ours yet (adopt), not any more (disown), or nobody's with our finalizer on it (free). */
  claim?: 'adopt' | 'disown' | 'free';
  /** The status on the server contains it, or need not. */
  counted?: true;
  /** Deleted because the Job succeeds: it counts for nothing, however it ends. */
  letGo?: true;
  /** Created by us and never observed. */
  unseen?: true;
  /** No longer on the API server, but still owed a count. */
  gone?: true;
  finished?: number;
  restarts?: number;
  maxRestarts?: number;
  maxSidecarRestarts?: number;
  index?: number;
  failureCount?: number;
  ignoredFailureCount?: number;
  exits?: { container: string; code: number }[];
  conditions?: { type: string; status: string }[];
}

/** Finish times in milliseconds: the failures after the last success are what the delay counts (J-5.42). */
export interface BackoffRecord {
  lastSuccess: number;
  /** The latest failures, newest first; more would not lengthen the delay. */
  failures: number[];
}

/** Consecutive errors of the API, and until when the kind of command that met them is held back (J-3.2). */
export interface Retry {
  errors: number;
  until: number;
  message: string;
}

export const INITIAL_STATE: JobState = {
  job: null,
  jobGone: false,
  marks: { job: '', pods: '', listed: '' },
  pods: {},
  owed: { succeeded: [], failed: [] },
  written: {},
  backoff: { lastSuccess: 0, failures: [] },
  delayed: {},
  failJob: null,
  nextOrdinal: 0,
  spentOrdinals: [],
  indexOrdinals: { next: {}, first: 0 },
  orphansFound: false,
  requests: [],
  requested: [],
  retries: {},
  last: null,
  folded: [],
  waiting: null,
  pending: [],
};
