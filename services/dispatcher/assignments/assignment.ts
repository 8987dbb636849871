import type { JobRef } from '../../../workflows/activities.ts';
import type { Known } from '../../../workflows/kind.ts';
import type { Mailbox } from '../mailboxes/mailbox.ts';
import { createNewJobs, type NewJobs } from '../mailboxes/new-jobs.ts';
import { createPosition, type CommitPosition } from './position.ts';
import { createSchedule, type SendSchedule } from '../mailboxes/schedule.ts';

/** A live Job or CronJob. */
export interface KnownJob extends Known {
  ref: JobRef;
  /** True when the ledger may contain decisions about it: it existed before its partition was assigned, or its mailbox was forgotten. */
  wasThere: boolean;
}

/** The Jobs and CronJobs of one partition according to the live topic, by `<cluster>/<uid>`. */
export interface LivePartition {
  jobs: Map<string, KnownJob>;
  /** Jobs that are gone with all their pods: no workflow is started for them. */
  gone: Set<string>;
  /** End of the partition before the live topic was read. */
  end: bigint;
}

/**
 * One partition, from its assignment to this dispatcher until it is lost. All known, pending and in-flight facts belong
 * to it and are dropped with it: a signal acknowledged afterwards has no effect on it.
 */
export interface Assignment {
  readonly partition: number;
  jobs: Map<string, KnownJob>;
  gone: Set<string>;
  /** Offsets below were in the ledger when the assignment began, and may contain the past of its Jobs. */
  readonly liveUpTo: bigint;
  /** Those that were used in the last minute, by `<cluster>/<uid>`, the least recently used first. */
  mailboxes: Map<string, Mailbox>;
  schedule: SendSchedule;
  newJobs: NewJobs;
  /** CronJobs of which Jobs were read before the CronJob itself was. */
  early: Set<string>;
  position: CommitPosition;
  /** True when earlier facts were passed over: the running workflows must recall them before anything is committed. */
  isRecallDue: boolean;
  isOver: boolean;
}

/** The assignments of this dispatcher, by partition. */
export type Assignments = Map<number, Assignment>;

/** `hasOffset`: it starts at the committed offset of the group, so nothing before it is passed over. */
export function beginAssignment(
  partition: number,
  start: bigint,
  live: LivePartition,
  hasOffset = true,
): Assignment {
  const assignment: Assignment = {
    partition,
    jobs: live.jobs,
    gone: live.gone,
    liveUpTo: live.end,
    mailboxes: new Map(),
    schedule: createSchedule(),
    newJobs: createNewJobs(),
    early: new Set(),
    position: createPosition(start, hasOffset),
    isRecallDue: !hasOffset && start > 0n,
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

/** The offset to commit; null when there is none. */
export function offsetDue({ position, isRecallDue }: Assignment): bigint | null {
  return isRecallDue ? null : position.due();
}

/** From `liveUpTo` on, the ledger itself reports deletions. */
export function forgetGone({ gone, position, liveUpTo }: Assignment): void {
  if (position.next() >= liveUpTo) gone.clear();
}

/** Facts that are not sent yet, or not acknowledged. */
export function inFlightIn(assignments: Assignments): number {
  return [...assignments.values()].reduce((sum, { position }) => sum + position.inFlight(), 0);
}
