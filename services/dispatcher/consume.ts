import { messageOf } from '../adapters/errors.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { groupOf } from '../contracts/groups.ts';
import { subscribe, type Batch, type Subscription } from '../adapters/kafka/subscribe.ts';
import type { StopReport } from '../adapters/metrics/stopped-partitions.ts';
import { endAssignment, type Assignment, type Assignments } from './assignment.ts';
import { sortIn, type Dispatch } from './dispatch.ts';
import { sendDue, type SendDependencies } from './send.ts';
import type { Take } from './take.ts';

const TICK_MS = 50;
/**
 * More unsent facts than this pause the reading: while Temporal is down nothing is lost, because the position stays.
 */
const MAX_IN_FLIGHT = 5000;
/** How long a stop waits for signals in flight, in milliseconds. */
const STOP_MS = 1000;

export interface ConsumeDependencies {
  dispatch: Dispatch;
  sending: Omit<SendDependencies, 'assignments' | 'now'>;
  take: Take;
  /** Reports stopped partitions. */
  report: StopReport;
  /** Called after each rebalance. */
  onAssigned: () => void;
  signal: AbortSignal;
}

/** Reads the ledger into the mailboxes and sends what is due, until `signal` is aborted. */
export async function consume(
  kafka: KafkaConnection,
  { dispatch, sending: { signal: signalJob, log }, take, report, onAssigned, signal }: ConsumeDependencies,
): Promise<Subscription> {
  const { assignments, now } = dispatch;
  const sending = { assignments, signal: signalJob, log, now };
  const subscription = await subscribe(kafka, {
    topic: kafka.topics.ledger,
    groupId: groupOf(kafka, 'dispatcher'),
    positionOf: take,
    onAssigned: (partitions) => {
      for (const partition of assignments.keys())
        if (!partitions.includes(partition)) endAssignment(assignments, partition);
      report.onAssigned(partitions);
      onAssigned();
    },
    onStopped: report.onStopped,
    onBatch: async (batch) => {
      await roomFor(batch, assignments, signal);
      const assignment = assignments.get(batch.partition);
      if (assignment === undefined || batch.isStale()) return;
      try {
        sortIn(dispatch, assignment, batch);
      } finally {
        void sendDue(sending);
      }
    },
  });
  const commit = (): Promise<void> =>
    commitDue(subscription, assignments).catch((error: unknown) =>
      log.debug({ error: messageOf(error) }, 'positions were not committed; trying again'),
    );
  // A signal that hangs must not block other Jobs or the positions of other partitions.
  const repeat = async (step: () => Promise<void>): Promise<void> => {
    for (; !signal.aborted; await pause()) await step();
  };
  void repeat(() => Promise.race([sendDue(sending), pause()]));
  const committing = repeat(commit);
  return {
    ...subscription,
    close: async () => {
      // Waits for signals in flight and commits, so that the next owner does not repeat them.
      await Promise.all([committing, untilSent(assignments)]);
      await commit();
      await subscription.close();
    },
  };
}

/** Runs one commit at a time, so that none overtakes another. What Kafka did not accept stays due. */
async function commitDue(subscription: Subscription, assignments: Assignments): Promise<void> {
  const due: [Assignment, bigint][] = [];
  const taken = await subscription.commit(() => {
    for (const assignment of assignments.values()) {
      const offset = assignment.position.due();
      if (offset !== null) due.push([assignment, offset]);
    }
    return new Map(due.map(([{ partition }, offset]) => [partition, offset]));
  });
  for (const [{ partition, position }, offset] of due) if (taken.has(partition)) position.commit(offset);
}

async function roomFor(batch: Batch, assignments: Assignments, signal: AbortSignal): Promise<void> {
  while (inFlightIn(assignments) > MAX_IN_FLIGHT && !signal.aborted && !batch.isStale()) {
    await batch.heartbeat();
    await pause();
  }
}

function inFlightIn(assignments: Assignments): number {
  return [...assignments.values()].reduce((sum, { position }) => sum + position.inFlight(), 0);
}

async function untilSent(assignments: Assignments): Promise<void> {
  const limit = Date.now() + STOP_MS;
  const isSending = ({ mailboxes }: Assignment): boolean =>
    [...mailboxes.values()].some((mailbox) => mailbox.isSending);
  while (Date.now() < limit && [...assignments.values()].some(isSending)) await pause();
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, TICK_MS));
}
