import { join } from 'node:path';
import type { KafkaConfig, PostgresConfig } from '../../../services/adapters/config.ts';
import type { EncodedEvent } from '../../../services/adapters/events/event-codec.ts';
import { createAppender } from '../../../services/adapters/kafka/append.ts';
import { connectKafka } from '../../../services/adapters/kafka/connection.ts';
import type { Batch, LedgerRecord } from '../../../services/adapters/kafka/subscription.ts';
import { stampLedger } from '../../../services/installation/stamp.ts';
import { ensureTopics } from '../../../services/adapters/kafka/topics.ts';
import type { Log } from '../../../services/adapters/process/log.ts';
import { openDatabase } from '../../../services/adapters/postgres/database.ts';
import { createConsume } from '../../../services/projector/consume.ts';
import { migrate } from '../../../services/projector/migrate.ts';
import { createEnsureMonths } from '../../../services/projector/months.ts';

interface Reports {
  log: Log;
  /** Called now and then, and at the end, with the number of events so far. */
  report: (events: number) => void;
}

const PARTITIONS = 8;
/** Records per batch. */
const CHUNK = 16_000;
/** Records per request to Kafka. */
const REQUEST = 2000;
const MIGRATIONS = join(process.cwd(), 'services/projector/migrations');

/** Applies records like a projector that reads eight partitions of an empty ledger. */
export async function fillPostgres(
  config: PostgresConfig,
  ledger: Iterable<EncodedEvent>,
  { log, report }: Reports,
): Promise<void> {
  const database = openDatabase(config, log);
  const consume = createConsume({
    ledger: { database, topic: 'jobledger.ledger' },
    setAside: () => Promise.reject(new Error('a generated record cannot be used')),
    ensureMonths: createEnsureMonths(database),
    log,
    signal: new AbortController().signal,
    onFatal: (error) => {
      throw error;
    },
  });
  try {
    await migrate(database, MIGRATIONS);
    const next = new Map<number, bigint>();
    await inChunks(ledger, report, async (chunk) => {
      const batches = byPartition(chunk.map((each) => toRecord(each, next)));
      await Promise.all(batches.map((records) => consume.onBatch(toBatch(records))));
    });
  } finally {
    await database.close();
  }
}

function toRecord({ key, value }: EncodedEvent, next: Map<number, bigint>): LedgerRecord {
  const partition = choosePartition(key);
  const offset = next.get(partition) ?? 0n;
  next.set(partition, offset + 1n);
  return { partition, offset, key, value: Buffer.from(value) };
}

/** Any partition, the same for one key. */
function choosePartition(key: string): number {
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) hash = (Math.imul(hash, 31) + key.charCodeAt(at)) >>> 0;
  return hash % PARTITIONS;
}

function byPartition(records: readonly LedgerRecord[]): LedgerRecord[][] {
  const batches = Array.from({ length: PARTITIONS }, (): LedgerRecord[] => []);
  for (const record of records) batches[record.partition]?.push(record);
  return batches.filter(({ length }) => length > 0);
}

function toBatch(records: LedgerRecord[]): Batch {
  return {
    partition: records[0]?.partition ?? 0,
    records,
    end: (records.at(-1)?.offset ?? -1n) + 1n,
    heartbeat: () => Promise.resolve(),
    isStale: () => false,
    continueAt: () => undefined,
  };
}

/** Appends records to the ledger topic, which is created when it is missing. */
export async function fillKafka(
  config: KafkaConfig,
  ledger: Iterable<EncodedEvent>,
  { log, report }: Reports,
): Promise<void> {
  const connection = connectKafka(config, log);
  await ensureTopics(connection, new AbortController().signal);
  await stampLedger(connection);
  const appender = await createAppender(connection);
  try {
    await inChunks(ledger, report, async (chunk) => {
      for (let at = 0; at < chunk.length; at += REQUEST)
        await appender.write(connection.topics.ledger, chunk.slice(at, at + REQUEST));
    });
  } finally {
    await appender.close();
  }
}

async function inChunks(
  ledger: Iterable<EncodedEvent>,
  report: Reports['report'],
  work: (chunk: EncodedEvent[]) => Promise<void>,
): Promise<void> {
  let chunk: EncodedEvent[] = [];
  let done = 0;
  const flush = async (): Promise<void> => {
    await work(chunk);
    done += chunk.length;
    chunk = [];
    report(done);
  };
  for (const record of ledger) {
    chunk.push(record);
    if (chunk.length === CHUNK) await flush();
  }
  if (chunk.length > 0) await flush();
}
