import { JobledgerError, errorMessage } from '../adapters/errors.ts';
import { NewerRecordError } from '../adapters/events/unreadable-record.ts';
import type { Batch, LedgerRecord } from '../adapters/kafka/subscription.ts';
import type { Log } from '../adapters/process/log.ts';
import { RefusedStatementError } from '../adapters/postgres/failures.ts';
import {
  readPosition,
  WentBackError,
  type AppliedLedger,
  type KnownBatch,
  type RecordBatch,
} from './apply.ts';
import { appliedPositions } from '../read-model/state/positions.ts';
import { createApplyTogether } from './apply-together.ts';
import type { SetAside } from '../consumers/dead-letters.ts';
import type { EnsureMonths } from './months.ts';
import { withRetries, type RetryPolicy } from './with-retries.ts';
import { readRecords } from './read-records.ts';

/** The number of records per transaction. */
const BATCH_SIZE = 500;

export interface ConsumeOptions {
  ledger: AppliedLedger;
  /** Writes the records that cannot be applied to the topic of dead letters. */
  setAside: SetAside;
  ensureMonths: EnsureMonths;
  log: Log;
  /** Aborted when the process stops. */
  signal: AbortSignal;
  /** Called when the projector cannot continue: the error is neither temporary nor about one record. */
  onFatal: (error: unknown) => void;
  /** Called after each applied batch, with its duration. */
  onApplied?: (batch: RecordBatch, seconds: number) => void;
}

interface Applying extends ConsumeOptions {
  applyTogether: (batch: KnownBatch) => Promise<void>;
}

export interface Consume {
  onBatch: (batch: Batch) => Promise<void>;
  readPosition: (partition: number, isStale: () => boolean) => Promise<bigint | null>;
  /**
   * The positions in Postgres that are behind the positions that this process has stored, by partition. @throws
   * UnavailableError.
   */
  wentBack: () => Promise<Map<number, bigint>>;
}

/**
 * Applies batches of the ledger to Postgres; isolates bad records and waits while Postgres is down. If Postgres has
 * lost its last transactions, the projector reads the partition again from the position in Postgres. `onBatch` throws
 * a NewerRecordError at a record of a newer version, after everything before it was applied.
 */
export function createConsume(options: ConsumeOptions): Consume {
  /** The last position that this process has seen, by partition. */
  const known = new Map<number, bigint>();
  const { ledger, log, signal } = options;
  const applyTogether = createApplyTogether(ledger);
  const applying = { ...options, applyTogether };

  return {
    readPosition: async (partition, isStale) => {
      const retryPolicy = { log, signal, isStale };
      const position = await withRetries(retryPolicy, () => readPosition(ledger, partition));
      if (position !== undefined) known.set(partition, position);
      return position ?? null;
    },
    wentBack: async () => {
      // The known positions are copied first, because they grow while the stored positions are read.
      const before = new Map(known);
      const now = await appliedPositions(ledger.database.run, ledger.topic);
      const behind = [...before].map(([partition, last]) => ({
        partition,
        last,
        position: now.get(partition) ?? 0n,
      }));
      return new Map(
        behind
          .filter(({ last, position }) => position < last)
          .map(({ partition, position }) => [partition, position]),
      );
    },
    onBatch: async (batch) => {
      const isStale = (): boolean => batch.isStale() || signal.aborted;
      const retryPolicy = { log, signal, isStale, between: () => batch.heartbeat() };
      try {
        for (let at = 0; at < batch.records.length && !isStale(); at += BATCH_SIZE) {
          await applyRecords(applying, known, retryPolicy, batch.records.slice(at, at + BATCH_SIZE));
          await batch.heartbeat();
        }
      } catch (error) {
        if (error instanceof WentBackError) {
          log.warn(
            { error: error.message },
            'the projector reads the partition again from the position in Postgres',
          );
          known.set(batch.partition, error.position);
          return batch.continueAt(error.position);
        }
        if (error instanceof JobledgerError && !(error instanceof NewerRecordError)) options.onFatal(error);
        throw error;
      }
    },
  };
}

/**
 * Applies records. If records cause an error, the records are halved until one record is left, which becomes a dead
 * letter. @throws NewerRecordError after applying the records before the newer record.
 */
async function applyRecords(
  options: Applying,
  known: Map<number, bigint>,
  retryPolicy: RetryPolicy,
  records: readonly LedgerRecord[],
): Promise<void> {
  const batch = toRecordBatch(records);
  try {
    if (batch.newer?.offset !== records[0]?.offset) await applyBatch(options, known, retryPolicy, batch);
    // After a rebalance, the new owner of the partition handles the record.
    if (batch.newer !== undefined && !retryPolicy.isStale()) throw batch.newer.error;
  } catch (error) {
    if (!isAboutRecord(error)) throw error;
    const [only] = records;
    if (only === undefined) throw error;
    if (records.length === 1) {
      const letter = { record: only, reason: `the record cannot be projected: ${errorMessage(error)}` };
      return applyBatch(options, known, retryPolicy, { ...batch, events: [], deadLetters: [letter] });
    }
    const half = Math.ceil(records.length / 2);
    await applyRecords(options, known, retryPolicy, records.slice(0, half));
    await applyRecords(options, known, retryPolicy, records.slice(half));
  }
}

function isAboutRecord(error: unknown): boolean {
  if (error instanceof RefusedStatementError) return error.isAboutValues;
  return !(error instanceof JobledgerError);
}

/** The SQLSTATE of a row without a partition: a user dropped the month after the check. */
const NO_PARTITION = '23514';

function isMonthGone(error: unknown): boolean {
  return error instanceof RefusedStatementError && error.code === NO_PARTITION;
}

async function applyBatch(
  options: Applying,
  known: Map<number, bigint>,
  retryPolicy: RetryPolicy,
  batch: RecordBatch,
): Promise<void> {
  const { applyTogether, ensureMonths, onApplied } = options;
  const applyOnce = async (forgetKnown: boolean): Promise<void> => {
    await ensureMonths(
      batch.events.map(({ event }) => event),
      forgetKnown,
    );
    await applyTogether({ batch, known: known.get(batch.partition) ?? 0n });
  };
  await withRetries(retryPolicy, async () => {
    const start = performance.now();
    if (batch.deadLetters.length > 0) await writeDeadLetters(options, batch);
    await applyOnce(false).catch((error: unknown) => {
      if (!isMonthGone(error)) throw error;
      return applyOnce(true);
    });
    known.set(batch.partition, batch.next);
    onApplied?.(batch, (performance.now() - start) / 1000);
  });
}

/**
 * Writes dead letters to the topic. The table and the position follow in the transaction of the batch, so a dead letter
 * may be written twice, but is never lost.
 */
async function writeDeadLetters(options: ConsumeOptions, batch: RecordBatch): Promise<void> {
  const position = await readPosition(options.ledger, batch.partition);
  await options.setAside(batch.deadLetters.filter(({ record }) => record.offset >= position));
}

function toRecordBatch(records: readonly LedgerRecord[]): RecordBatch {
  const last = records.at(-1);
  const read = readRecords(records);
  return {
    ...read,
    partition: last?.partition ?? 0,
    first: records[0]?.offset ?? 0n,
    next: read.newer?.offset ?? (last?.offset ?? -1n) + 1n,
  };
}
