import { formatIndexes, parseIndexes, union, type Indexes } from '../../batch/completion-indexes.ts';
import { isBefore } from '../../decision/folding.ts';
import type { JobStatus } from '../../kubernetes/objects.ts';
import type { EndReason } from '../../placement/commands.ts';
import type { MemberFacts } from '../../placement/facts.ts';
import { type FailedPods, type WrongStatus } from './home-status.ts';
import type { RestoredMembers } from './restored-members.ts';
import type { Tenure } from '../../placement/definitions/tenures.ts';

/**
 * The right of a cluster to run a placed Job, as recorded. Instants are in milliseconds, by the clocks of Jobledger.
 */
export interface RecordedGrant {
  number: number;
  cluster: string;
  /** Of its member. */
  name: string;
  /** The decision that gave the grant, and the number of that decision. */
  decision: string;
  given: number;
  since: number;
  /** The first decision to create the member; null before that decision. */
  askedAt: number | null;
  /** The indexes that were recorded as completed in the cluster before this grant. */
  completedBefore: Indexes;
  end: { at: number; reason: EndReason; decided: number } | null;
  /** For a spread Job, the indexes that the member could run over time; null when the member could run all indexes. */
  tenures: readonly RecordedTenure[] | null;
}

/**
 * `since` and `at` are instants by the clocks of Jobledger; `given` and `decided` are numbers of decisions.
 * `completedBefore`: in any cluster.
 */
type RecordedTenure = Tenure<
  { since: number; given: number; completedBefore: Indexes },
  { at: number; decided: number }
>;

/**
 * A Job that a recorded outcome names as the member of a grant, or that has the mark and the name of a grant, in any
 * cluster.
 */
export interface RecordedMember {
  cluster: string;
  uid: string;
  grant: RecordedGrant;
  /** The time when the outcome or the Job was recorded; the Job existed at that time. */
  knownAt: number;
}

export interface GrantsOfJob {
  /** `<home>/<namespace>/<name>`. */
  job: string;
  /**
   * The grants of effective decisions by number, followed by the grants of superseded decisions that were still carried
   * out.
   */
  grants: RecordedGrant[];
  members: RecordedMember[];
  /**
   * Each change of the completions of the Job; a lower number undoes the successes of the indexes beyond it, which
   * may run again.
   */
  sizes: readonly Size[];
  /** The statuses of the placed Job that were written in its home. */
  wrong: readonly WrongStatus[];
}

/** `at` is the time when the status was recorded, in milliseconds. */
export interface Size {
  at: number;
  completions: number;
}

export interface GrantProgress {
  job: string;
  /**
   * The latest decisions, including superseded decisions; each decision begins with the grants that the previous
   * decision left.
   */
  recent: Decided[];
  members: Map<string, RecordedMember>;
  /** The completed indexes in the latest status of the member of each grant, and of the members that this member has replaced, by `grantKey`. */
  completed: Map<string, { uid: string; text: string; earlier: string }>;
  restored: RestoredMembers;
  /** The first observed `completions` of the Job, and each change of that number. */
  sizes: Size[];
  /** The failed pods of the member of each grant, by grant. */
  failed: Map<string, FailedPods>;
  /** True when the first decision of the home was read. */
  isWhole: boolean;
  wrong: WrongStatus[];
}

export interface Decided {
  id: string;
  now: number;
  number: number;
  grants: readonly RecordedGrant[];
  /** The grant that each command is about, by the number of the command. */
  about: (number | null)[];
  /** The commands of the decision that write the status of the Job. */
  writes: StatusWrite[];
}

/** `completes` means that the status makes the Job complete, and that this completion has not been checked yet. */
export interface StatusWrite {
  command: number;
  generation: number;
  to: JobStatus;
  completes: boolean;
}

/** The completed indexes of a member and of the members that it has replaced, in the form of a status. */
export function completedBy({ text, earlier } = { text: '', earlier: '' }): string {
  return earlier === ''
    ? text
    : formatIndexes(union(parseIndexes(text, Infinity), parseIndexes(earlier, Infinity)));
}

/**
 * The key of a grant; it contains the decision, because a decision may give several grants, and a superseded decision
 * may give a grant of the same number.
 */
export function grantKey({ decision, number }: RecordedGrant): string {
  return `${decision}/${number}`;
}

export function memberKey({ cluster, uid }: Pick<MemberFacts, 'cluster' | 'uid'>): string {
  return `${cluster}/${uid}`;
}

/** The effective decision: the latest decision by its own instant. */
export function effectiveDecision(recent: readonly Decided[]): Decided | undefined {
  let found: Decided | undefined;
  for (const each of recent) if (found === undefined || !isBefore(each, found)) found = each;
  return found;
}
