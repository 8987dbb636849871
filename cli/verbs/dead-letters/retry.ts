import { InputError, JobledgerError, errorMessage } from '../../../services/adapters/errors.ts';
import type { Appender } from '../../../services/adapters/kafka/append.ts';
import type { KafkaConnection } from '../../../services/adapters/kafka/connection.ts';
import { readExtents, readBetween } from '../../../services/adapters/kafka/scan.ts';
import type { LedgerRecord } from '../../../services/adapters/kafka/subscription.ts';
import type { Database } from '../../../services/adapters/postgres/database.ts';
import { RefusedStatementError } from '../../../services/adapters/postgres/failures.ts';
import { requireSameCluster } from '../../../services/read-model/state/same-cluster.ts';
import { tryApply } from '../../../services/projector/apply.ts';
import { createEnsureMonths } from '../../../services/projector/months.ts';
import { readRecords } from '../../../services/projector/read-records.ts';
import { markBroughtBack, type DeadLetterEntry } from './read-dead-letters.ts';

export interface Parts {
  database: Database;
  connection: KafkaConnection;
  appender: Pick<Appender, 'write'>;
}

/** The result for one record; `reason` is null if the record was appended again. */
export interface RetryOutcome {
  letter: DeadLetterEntry;
  reason: string | null;
}

/**
 * Appends the dead letters that this version can use to the ledger again, unchanged and with their keys, so that the projector and the Jobs'
 * workflows receive them. A run that cannot decide has no record and is only removed from the list. An interruption may cause a record to be appended
 * twice, which has no effect, because each event counts once by its id. @throws InputError if the offsets belong to another Kafka cluster.
 */
export async function retryDeadLetters(
  parts: Parts,
  letters: readonly DeadLetterEntry[],
): Promise<RetryOutcome[]> {
  await requireSameCluster(parts.database.run, parts.connection);
  const outcomes: RetryOutcome[] = [];
  for (const letter of letters) {
    const reason = await retryOne(parts, letter);
    outcomes.push({ letter, reason });
  }
  return outcomes;
}

/** Appends one dead letter again; returns the reason if this is not possible, otherwise null. */
async function retryOne(
  { database, connection, appender }: Parts,
  letter: DeadLetterEntry,
): Promise<string | null> {
  const { partition, kafka_offset: offset } = letter;
  if (partition !== null && offset !== null) {
    const record = await recordAt(connection, { partition, offset: BigInt(offset) });
    if (record === null) return 'the ledger no longer contains the record';
    const reason = await reasonAgainst(database, record);
    if (reason !== null) return reason;
    await appender.write(connection.topics.ledger, [{ key: record.key, value: record.value }]);
  }
  await markBroughtBack({ run: database.run, connection, appender }, letter);
  return null;
}

/** The record at an offset of the ledger; null if Kafka has no such record. */
async function recordAt(
  connection: KafkaConnection,
  { partition, offset }: { partition: number; offset: bigint },
): Promise<LedgerRecord | null> {
  const { ledger } = connection.topics;
  const extent = (await readExtents(connection, ledger)).get(partition);
  if (extent === undefined || offset < extent.first || offset >= extent.end) return null;
  const found: LedgerRecord[] = [];
  const [from, to] = [new Map([[partition, offset]]), new Map([[partition, offset + 1n]])];
  await readBetween(connection, ledger, { from, to }, (records) => {
    found.push(...records);
    return Promise.resolve();
  });
  return found[0] ?? null;
}

/** The reason why this version cannot use a record; null if it can. */
async function reasonAgainst(database: Database, record: LedgerRecord): Promise<string | null> {
  const { events, deadLetters, newer } = readRecords([record]);
  if (newer !== undefined) return newer.error.message;
  const [event] = events;
  if (event === undefined) return deadLetters[0]?.reason ?? 'it cannot be read';
  try {
    await createEnsureMonths(database)([event.event]);
    await tryApply(database, event);
    return null;
  } catch (error) {
    if (error instanceof JobledgerError && !(error instanceof RefusedStatementError)) throw error;
    return `it cannot be projected: ${errorMessage(error)}`;
  }
}

/** Requires that `--partition` and `--offset` are given together. @throws InputError. */
export function requireCompletePosition({
  partition,
  offset,
}: {
  partition?: number;
  offset?: string;
}): void {
  if ((partition === undefined) !== (offset === undefined))
    throw new InputError('--partition and --offset identify a record together; give both or neither');
}
