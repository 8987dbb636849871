import { errorMessage } from '../adapters/errors.ts';
import { pause } from '../adapters/waiting/pause.ts';
import { backoffMs } from '../adapters/waiting/retry.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import type { SetAside } from '../consumers/dead-letters.ts';
import { consumerGroup } from '../consumers/groups.ts';
import { subscribe } from '../adapters/kafka/subscribe.ts';
import { type Batch, type Subscription } from '../adapters/kafka/subscription.ts';
import type { StopReport } from '../adapters/metrics/stopped-partitions.ts';
import { endAssignment, dueOffset, type Assignment, type Assignments } from './assignments/assignment.ts';
import { sortIntoMailboxes, type Dispatch } from './reading/sort-into-mailboxes.ts';
import { createNotifier, type Notifier } from '../adapters/waiting/notifier.ts';
import { hasRoom } from './reading/room.ts';
import { keepAskingRuns } from './sending/ask.ts';
import { keepSending, type SendDependencies } from './sending/send.ts';
import type { StartAssignment } from './assignments/start-assignment.ts';

/**
 * Positions move with each record; they are committed together, at most once per interval. After a kill, the facts
 * after the last commit are signalled again; the workflow ignores the repeated facts.
 */
const COMMIT_MS = 500;
/** The extra wait of facts under load, in milliseconds. */
const LINGER_MS = 100;
/** The interval of heartbeats while reading is paused, in milliseconds. */
const HEARTBEAT_MS = 1000;
/** The time for which a stop waits for signals in flight, in milliseconds. */
const STOP_MS = 1000;

export interface ConsumeDependencies {
  dispatch: Dispatch;
  sending: Pick<SendDependencies, 'signal' | 'log' | 'mostWaiting'>;
  startAssignment: StartAssignment;
  /** Reports stopped partitions. */
  report: StopReport;
  /** Called after each rebalance. */
  onAssigned: () => void;
  /** Keeps records that cannot be dispatched. */
  setAside: SetAside;
  signal: AbortSignal;
}

/** Reads the ledger into the mailboxes and sends due facts, until `signal` is aborted. */
export async function consume(
  kafka: KafkaConnection,
  {
    dispatch,
    sending: { signal: signalJob, log, mostWaiting },
    startAssignment,
    report,
    onAssigned,
    setAside,
    signal,
  }: ConsumeDependencies,
): Promise<Subscription> {
  const { assignments, now } = dispatch;
  /**
   * `due` is notified when mailboxes may have become due, `moved` when positions may have moved or there may be room
   * for more records.
   */
  const [due, moved] = [createNotifier(), createNotifier()];
  const onEnded: SendDependencies['onEnded'] = ({ dueAt }) => {
    moved.notify();
    if (dueAt !== null) due.notify();
  };
  const notifyAll = (): void => {
    due.notify();
    moved.notify();
  };
  signal.addEventListener('abort', notifyAll, { once: true });
  const subscription = await subscribe(kafka, {
    topic: kafka.topics.ledger,
    groupId: consumerGroup(kafka, 'dispatcher'),
    lingerMs: LINGER_MS,
    readPosition: startAssignment,
    onAssigned: (partitions) => {
      for (const partition of assignments.keys())
        if (!partitions.includes(partition)) endAssignment(assignments, partition);
      moved.notify();
      report.onAssigned(partitions);
      onAssigned();
    },
    onStopped: report.onStopped,
    onBatch: async (batch) => {
      await waitForRoom(batch, { ...dispatch, mostWaiting }, moved, signal);
      const assignment = assignments.get(batch.partition);
      if (assignment === undefined || batch.isStale()) return;
      try {
        const unsorted = sortIntoMailboxes(dispatch, assignment, batch);
        if (unsorted.length > 0) await setAside(unsorted);
      } finally {
        notifyAll();
      }
    },
  });
  const commit = (): Promise<boolean> =>
    commitDueOffsets(subscription, assignments).catch((error: unknown) => {
      log.debug({ error: errorMessage(error) }, 'positions were not committed; trying again');
      return false;
    });
  void keepSending({ assignments, mostWaiting, signal: signalJob, log, now, onEnded }, due, signal);
  void keepAskingRuns({ assignments, signal: signalJob, log, now }, moved.notify, signal);
  const committing = keepCommitting(commit, moved, signal);
  return {
    ...subscription,
    close: async () => {
      // The offsets of the signals in flight are committed first, so that the next owner of the partitions does not
      // repeat these signals.
      await Promise.all([committing, waitUntilSent(assignments, moved)]);
      await commit();
      await subscription.close();
    },
  };
}

/** Commits when positions have moved. Runs one commit at a time, so that commits stay in order. */
async function keepCommitting(
  commit: () => Promise<boolean>,
  moved: Notifier,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted;) {
    const next = moved.next();
    failures = (await commit()) ? 0 : failures + 1;
    await pause(failures === 0 ? COMMIT_MS : backoffMs(failures), signal);
    if (failures === 0) await next;
  }
}

/**
 * Commits the due offsets. Returns false when Kafka did not accept all offsets or some of them may not be committed
 * yet; these offsets stay due.
 */
async function commitDueOffsets(subscription: Subscription, assignments: Assignments): Promise<boolean> {
  const due: [Assignment, bigint][] = [];
  const taken = await subscription.commit(() => {
    for (const assignment of assignments.values()) {
      const offset = dueOffset(assignment);
      if (offset !== null) due.push([assignment, offset]);
    }
    return new Map(due.map(([{ partition }, offset]) => [partition, offset]));
  });
  for (const [{ partition, position }, offset] of due) if (taken.has(partition)) position.commit(offset);
  const isAnyLeft = [...assignments.values()].some(({ isRecallDue }) => isRecallDue);
  return !isAnyLeft && due.every(([{ partition }]) => taken.has(partition));
}

async function waitForRoom(
  batch: Batch,
  { assignments, now, mostWaiting }: Dispatch & Pick<SendDependencies, 'mostWaiting'>,
  moved: Notifier,
  signal: AbortSignal,
): Promise<void> {
  while (!hasRoom(assignments, mostWaiting, now()) && !signal.aborted && !batch.isStale()) {
    await batch.heartbeat();
    await moved.next(HEARTBEAT_MS);
  }
}

async function waitUntilSent(assignments: Assignments, moved: Notifier): Promise<void> {
  const limit = Date.now() + STOP_MS;
  const isSending = ({ mailboxes }: Assignment): boolean =>
    [...mailboxes.values()].some((mailbox) => mailbox.isSending);
  while (Date.now() < limit && [...assignments.values()].some(isSending))
    await moved.next(limit - Date.now());
}
