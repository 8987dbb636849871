import type { Approval, Breaking } from '../decision/invariants/approval.ts';
import type { Reason } from '../decision/reason.ts';
import type { Folded } from '../decision/stream.ts';
import type { Retry } from '../decision/retry.ts';
import type { CronCommand } from './commands.ts';
import type { ChildFacts, CronJobFacts } from './facts.ts';

/** Everything that the workflow of a CronJob remembers: plain JSON, bounded by its live Jobs. */
export interface CronJobState {
  /** The CronJob as Jobledger last observed or wrote it; null before the first observation. */
  cronJob: CronJobFacts | null;
  /** True when the CronJob no longer exists. */
  gone: boolean;
  /**
   * The number of times that the versions of the cluster have started over; all versions in this state belong to this
   * epoch.
   */
  epoch: number;
  /**
   * The resourceVersion of the CronJob, and the highest resourceVersion of Jobs that have ceased to be children.
   * Facts up to these versions are repeats.
   */
  versions: { cronJob: string; jobs: string };
  /** By UID. */
  children: Record<string, Child>;
  /** Jobs that were created and that no status on the server lists yet, in order. */
  started: Started[];
  /** A start that may or may not have been carried out (`unknownStart`); null without such a start. */
  unknown: UnknownStart | null;
  /** The highest version of Jobs that the watch has passed since the last decision to create one. */
  passed: string;
  /** The last start before the versions started over, when the status on the server shows an earlier one. */
  lastStart: string | null;
  /**
   * The UIDs of Jobs that Jobledger deleted, or that are missing, and that the status on the server may still list.
   */
  removed: string[];
  /**
   * The Jobs, by UID, that the status lists and that were found not to be children, with the time in milliseconds
   * (J-9.31).
   */
  found: Record<string, number>;
  /** The latest completion of a child, in the format of the API; null before a child is complete (J-9.30). */
  lastSuccess: string | null;
  /**
   * The latest completions of Jobs that were recorded before the CronJob, by the namespace and name of the CronJob
   * that they claim.
   */
  claimedSuccess: Record<string, string>;
  /** A start whose name belongs to a Job of another controller (J-9.38); null without such a start. */
  taken: string | null;
  /**
   * The start that is left out because nobody can know whether it was carried out before the API server was restored.
   */
  unproven: UnprovenStart | null;
  /** The schedule or its zone has changed since the last decision (J-9.11). */
  rescheduled: boolean;
  /**
   * The instant before which no start is made, in milliseconds, because the schedule has changed (J-9.11); null for
   * none.
   */
  hold: { until: number | null } | null;
  /** The errors since the API server last accepted a command, by the kind of the command (J-9.10). */
  retries: Partial<Record<CronCommand['kind'], Retry>>;
  /** The ids of the latest requests, the newest last; they identify repeats. */
  requested: string[];
  last: { number: number; id: string; core: string; now: number } | null;
  /** The events that were folded since the last decision. */
  folded: Folded[];
  /** The reason to wait that was recorded last. */
  waiting: Reason | null;
  /** The approval of a person that the last decision has not ended (J-18.2). */
  approval: Approval | null;
  /** The invariants that the last decision breaks (J-18.1); null when the decision breaks no invariant. */
  breaking: Breaking | null;
  /**
   * The commands of the last decision; empty when all commands have an outcome. The first `answered` commands have an
   * outcome.
   */
  pending: CronCommand[];
  answered: number;
  /** The epoch in which the last decision was made. */
  decidedIn: number;
}

/**
 * `deleted`: by us. `unexpected` means that the live CronJob did not list the Job either (J-9.30). `claimed` means
 * that the Job was recorded before the CronJob, so it is not yet known whether the Job is a child.
 */
export type Child = Omit<ChildFacts, 'uid' | 'elsewhere' | 'namespace' | 'controllerName'> & {
  deleted?: true;
  unexpected?: true;
  claimed?: Pick<ChildFacts, 'namespace' | 'controllerName'>;
};

/**
 * `after` is the version at which the watch shows whether the start was made; null when the version is not known yet.
 */
export interface UnknownStart {
  name: string;
  /** The time of the schedule, in the format of the API. */
  scheduledAt: string;
  after: string | null;
}

/** `reported` means that an Event has named the start. */
export type UnprovenStart = Pick<UnknownStart, 'name' | 'scheduledAt'> & { reported?: true };

export interface Started {
  uid: string;
  name: string;
  resourceVersion: string;
  /** The time of the schedule, in the format of the API. */
  scheduledAt: string;
}

export const INITIAL_STATE: CronJobState = {
  cronJob: null,
  gone: false,
  epoch: 0,
  versions: { cronJob: '', jobs: '' },
  children: {},
  started: [],
  unknown: null,
  passed: '',
  lastStart: null,
  removed: [],
  found: {},
  lastSuccess: null,
  claimedSuccess: {},
  taken: null,
  unproven: null,
  rescheduled: false,
  hold: null,
  retries: {},
  requested: [],
  last: null,
  folded: [],
  waiting: null,
  approval: null,
  breaking: null,
  pending: [],
  answered: 0,
  decidedIn: 0,
};
