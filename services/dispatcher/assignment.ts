import type { JobRef } from '../../workflows/activities.ts';
import type { Mailbox } from './mailbox.ts';
import { createPosition, type CommitPosition } from './position.ts';

/** A Job that is known to be alive. */
export interface KnownJob {
  ref: JobRef;
  /** We drive it: its workflow is told everything. */
  isOurs: boolean;
  /** It has finished and has a `ttlSecondsAfterFinished`. */
  expires: boolean;
  /** The ledger may hold decisions on one that was there before its partition was assigned. */
  wasThere: boolean;
}

/** What the live topic tells of the Jobs of one partition; by `<cluster>/<uid>`. */
export interface Learnt {
  jobs: Map<string, KnownJob>;
  /** Jobs that are gone with all their pods: nobody starts a workflow for them. */
  gone: Set<string>;
  /** End of the partition before it was learnt. */
  end: bigint;
}

/**
 * One partition, from the moment it is assigned to this dispatcher until it is lost. All that is known, pending and owed
 * belongs to it and goes with it: a signal that is acknowledged afterwards changes nothing any more.
 */
export interface Assignment {
  readonly partition: number;
  jobs: Map<string, KnownJob>;
  gone: Set<string>;
  /** Offsets below it were in the ledger when the partition was learnt: its Jobs' past may be among them. */
  readonly learntUpTo: bigint;
  mailboxes: Map<string, Mailbox>;
  position: CommitPosition;
  isOver: boolean;
}

/** Those that this dispatcher has, by partition. */
export type Assignments = Map<number, Assignment>;

export function beginAssignment(partition: number, committed: bigint, learnt: Learnt): Assignment {
  const assignment: Assignment = {
    partition,
    jobs: learnt.jobs,
    gone: learnt.gone,
    learntUpTo: learnt.end,
    mailboxes: new Map(),
    position: createPosition(committed),
    isOver: false,
  };
  forgetGone(assignment);
  return assignment;
}

export function endAssignment(assignments: Assignments, partition: number): void {
  const assignment = assignments.get(partition);
  if (assignment !== undefined) assignment.isOver = true;
  assignments.delete(partition);
}

/** From there on the ledger itself tells who goes. */
export function forgetGone({ gone, position, learntUpTo }: Assignment): void {
  if (position.next() >= learntUpTo) gone.clear();
}
