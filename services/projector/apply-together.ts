import { applyBatches, type AppliedLedger, type KnownBatch } from './apply.ts';

/** The most events of one transaction, unless a single batch has more. */
const EVENTS_TOGETHER = 1000;

interface Waiting extends KnownBatch {
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Applies batches of several partitions in one transaction: batches that arrive during a transaction share the next
 * transaction (group commit). If the transaction fails, each batch is applied separately, so that an error affects only
 * the batch that causes it.
 */
export function createApplyTogether(ledger: AppliedLedger): (batch: KnownBatch) => Promise<void> {
  const waiting: Waiting[] = [];
  let running: Promise<void> | null = null;

  const applyWaiting = async (): Promise<void> => {
    // The batches of one fetch arrive in the same turn of the event loop.
    await Promise.resolve();
    while (waiting.length > 0) {
      const group = takeNextGroup(waiting);
      try {
        await applyBatches(ledger, group);
        for (const { resolve } of group) resolve();
      } catch (error) {
        if (group.length === 1) group[0]?.reject(error);
        else for (const each of group) await applyBatches(ledger, [each]).then(each.resolve, each.reject);
      }
    }
    running = null;
  };
  return (batch) =>
    new Promise((resolve, reject) => {
      waiting.push({ ...batch, resolve, reject });
      running ??= applyWaiting();
    });
}

/**
 * Takes the batches of the next transaction from `waiting`. A transaction has at most one batch per partition, because
 * the expected position of the following batch is only known after the transaction.
 */
function takeNextGroup(waiting: Waiting[]): Waiting[] {
  const partitions = new Set<number>();
  let events = 0;
  const end = waiting.findIndex(({ batch }, at) => {
    events += batch.events.length;
    const isNext = partitions.has(batch.partition) || (at > 0 && events > EVENTS_TOGETHER);
    partitions.add(batch.partition);
    return isNext;
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}
