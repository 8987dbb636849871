import type { ObjectRef } from '../../../workflows/activities.ts';
import type { Known } from '../../../workflows/kind.ts';
import type { Mailbox } from '../mailboxes/mailbox.ts';
import { createUndecidedJobs, type UndecidedJobs } from './undecided.ts';
import { createPosition, type CommitPosition } from './position.ts';
import { createEarlyObjects, type EarlyObjects } from './early.ts';
import { createUnfoldedFacts, type UnfoldedFacts } from './unfolded.ts';
import { createUnseenPodQueue, type UnseenPodQueue } from './unseen.ts';
import { createSchedule, type SendSchedule } from '../mailboxes/schedule.ts';

/** A live Job or CronJob. */
export interface KnownJob extends Known {
  ref: ObjectRef;
  /**
   * True when the ledger may contain decisions about the object: it existed before its partition was assigned, or its
   * mailbox was forgotten.
   */
  wasThere: boolean;
  /** The number of the last decision about the object that was read; absent when none was read. */
  decided?: number | undefined;
}

/** The Jobs and CronJobs of one partition according to the live topic, by the ids of their streams. */
export interface LivePartition {
  jobs: Map<string, KnownJob>;
  /** The deleted Jobs without remaining pods, which need no workflow. */
  gone: Set<string>;
  /** The end offset of the partition, read before the live topic. */
  end: bigint;
}

/**
 * One partition, from its assignment to this dispatcher until it is lost. The assignment owns all known, pending and
 * in-flight facts. The dispatcher drops these facts when the assignment ends, so a later acknowledgement has no effect.
 */
export interface Assignment {
  readonly partition: number;
  jobs: Map<string, KnownJob>;
  gone: Set<string>;
  /**
   * The records before this offset were in the ledger when the assignment began, and may contain earlier facts about
   * its Jobs.
   */
  readonly liveUpTo: bigint;
  /** The mailboxes used in the last minute, by the ids of their streams, least recently used first. */
  mailboxes: Map<string, Mailbox>;
  schedule: SendSchedule;
  /** The new Jobs that wait for their first decision. */
  newJobs: UndecidedJobs;
  /** The other signalled Jobs that wait for their next decision. */
  signalled: UndecidedJobs;
  /** The CronJobs whose Jobs were read before the CronJob itself. */
  early: EarlyObjects;
  position: CommitPosition;
  unseen: UnseenPodQueue;
  unfolded: UnfoldedFacts;
  /**
   * True when earlier facts were skipped. The running workflows must recall these facts before an offset is committed.
   */
  isRecallDue: boolean;
  isOver: boolean;
}

/** The time for which a new Job counts as undecided, in milliseconds. */
const NEW_MS = 300_000;
/**
 * The time for which a signalled Job counts as undecided, in milliseconds. The time is short because the workflow may
 * have no decision to make.
 */
const SIGNALLED_MS = 5000;

/** The assignments of this dispatcher, by partition. */
export type Assignments = Map<number, Assignment>;

/**
 * Creates the assignment of a partition that is read from `start`. `hasOffset` is true when `start` is the committed
 * offset of the group, so that no earlier fact is skipped.
 */
export function beginAssignment(
  partition: number,
  start: bigint,
  live: LivePartition,
  hasOffset = true,
): Assignment {
  const position = createPosition(start, hasOffset);
  const assignment: Assignment = {
    partition,
    jobs: live.jobs,
    gone: live.gone,
    liveUpTo: live.end,
    mailboxes: new Map(),
    schedule: createSchedule(),
    newJobs: createUndecidedJobs(NEW_MS),
    signalled: createUndecidedJobs(SIGNALLED_MS),
    early: createEarlyObjects(),
    position,
    unseen: createUnseenPodQueue(position),
    unfolded: createUnfoldedFacts(),
    isRecallDue: !hasOffset && start > 0n,
    isOver: false,
  };
  forgetDeletedJobs(assignment);
  return assignment;
}

export function endAssignment(assignments: Assignments, partition: number): void {
  const assignment = assignments.get(partition);
  if (assignment !== undefined) assignment.isOver = true;
  assignments.delete(partition);
}

/** The offset to commit; null when no offset is due. */
export function dueOffset({ position, isRecallDue }: Assignment): bigint | null {
  return isRecallDue ? null : position.due();
}

/**
 * Forgets the deleted Jobs once the ledger is read up to `liveUpTo`, because the later records of the ledger report
 * deletions themselves.
 */
export function forgetDeletedJobs({ gone, position, liveUpTo }: Assignment): void {
  if (position.next() >= liveUpTo) gone.clear();
}

/** The size of the records of all unsent facts, in bytes. */
export function bytesInFlight(assignments: Assignments): number {
  return [...assignments.values()].reduce((sum, { position }) => sum + position.inFlightLength(), 0);
}

/** The number of facts that are unsent or unacknowledged, in all assignments. */
export function countFactsInFlight(assignments: Assignments): number {
  return [...assignments.values()].reduce(
    (sum, { position, unseen }) => sum + position.inFlight() - unseen.size(),
    0,
  );
}
