import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { groupOf } from '../adapters/kafka/groups.ts';
import { subscribe, type Batch, type Subscription } from '../adapters/kafka/subscribe.ts';
import { sortIn, type Dispatch } from './dispatch.ts';
import { sendDue, type SendNeeds } from './send.ts';

const TICK_MS = 50;
/** So much unsent news stops the reading: with Temporal down nothing is lost, the position stays. */
const MAX_OWED = 5000;

/**
 * Reads the ledger into the mailboxes, and sends what is due, until `signal` is aborted. `learnJobs` is called after
 * each assignment: the Jobs of partitions that another dispatcher had may be unknown here.
 */
export async function consume(
  kafka: KafkaConnection,
  dispatch: Dispatch,
  sending: SendNeeds,
  learnJobs: () => Promise<void>,
  signal: AbortSignal,
): Promise<Subscription> {
  let subscription: Subscription | undefined;
  let learning: Promise<void> | null = null;
  const tick = async (): Promise<void> => {
    await sendDue(sending);
    for (const { partition, offset } of dispatch.positions.movedSince())
      await subscription?.commit(partition, offset).catch(() => undefined);
  };
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      await Promise.race([tick(), pause()]);
      await pause();
    }
  };
  subscription = await subscribe(kafka, {
    topic: kafka.topics.ledger,
    groupId: groupOf(kafka, 'dispatcher'),
    commitsItself: true,
    onAssigned: () => {
      forgetAll(dispatch);
      learning = null;
    },
    onBatch: async (batch) => {
      await (learning ??= learnJobs());
      await roomFor(batch, dispatch, signal);
      if (batch.isStale()) return;
      sortIn(dispatch, batch);
      void sendDue(sending);
    },
  });
  void loop();
  return subscription;
}

/** Whoever has a partition now reads on from its committed position; what was pending here comes again there. */
function forgetAll({ mailboxes, positions }: Dispatch): void {
  mailboxes.clear();
  positions.forget([...positions.partitions()]);
}

async function roomFor(batch: Batch, { positions }: Dispatch, signal: AbortSignal): Promise<void> {
  while (positions.owed() > MAX_OWED && !signal.aborted && !batch.isStale()) {
    await batch.heartbeat();
    await pause();
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, TICK_MS));
}
