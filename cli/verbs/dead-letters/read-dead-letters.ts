import type { Appender } from '../../../services/adapters/kafka/append.ts';
import type { KafkaConnection } from '../../../services/adapters/kafka/connection.ts';
import { scan } from '../../../services/adapters/kafka/scan.ts';
import type { LedgerRecord } from '../../../services/adapters/kafka/subscription.ts';
import type { Run } from '../../../services/adapters/postgres/database.ts';
import { sql } from '../../../services/adapters/postgres/statement.ts';
import type { SetAsideBy } from '../../../services/consumers/dead-letters.ts';

/** A record that could not be used or, without partition and offset, a run that cannot decide. */
export interface DeadLetterEntry {
  partition: number | null;
  kafka_offset: string | null;
  key: string;
  reason: string;
  found_by: SetAsideBy;
  found_at: string;
  retried_at: string | null;
}

/** The only wanted record; an absent field selects all records. */
export interface DeadLetterPosition {
  readonly partition?: number;
  readonly offset?: string;
}

/**
 * The dead letters in the order in which they were found; those of the projector come from its table, all others from their topic.
 */
export async function readDeadLetters(
  run: Run,
  connection: KafkaConnection,
  { partition, offset }: DeadLetterPosition,
): Promise<DeadLetterEntry[]> {
  const { ledger } = connection.topics;
  const ofProjector = await run<DeadLetterEntry>(
    sql`select partition, kafka_offset, key, reason, 'projector' as found_by, found_at, retried_at
      from jobledger.dead_letters
      where topic = ${ledger} and partition = coalesce(${partition ?? null}::integer, partition)
        and kafka_offset = coalesce(${offset ?? null}::bigint, kafka_offset)`,
  );
  const ofOthers = (await readTopic(connection)).filter(
    (each) => offset === undefined || (each.partition === partition && each.kafka_offset === offset),
  );
  // A text whose order is the order in which the dead letters were found.
  const sortKey = ({ found_at: at, partition: number, kafka_offset: text }: DeadLetterEntry): string =>
    `${at} ${number} ${(text ?? '').padStart(20)}`;
  return [...ofProjector, ...ofOthers].toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

/** The dead letters that have no row in the table. A dead letter that was found again after a retry is open again. */
async function readTopic(connection: KafkaConnection): Promise<DeadLetterEntry[]> {
  const found = new Map<string, DeadLetterEntry>();
  await scan(connection, connection.topics.deadLetters, ({ key, headers = {} }: LedgerRecord) => {
    const { topic, by, reason = '', at = '', 'brought-back-at': back } = headers;
    if (topic !== connection.topics.ledger || (by !== 'dispatcher' && by !== 'worker')) return;
    const { partition, offset } = headers;
    const name = JSON.stringify([by, key, partition, offset]);
    const before = found.get(name);
    if (back !== undefined) {
      if (before !== undefined) before.retried_at = back;
    } else if (before === undefined || before.retried_at !== null)
      found.set(name, {
        partition: partition === undefined ? null : Number(partition),
        kafka_offset: offset ?? null,
        key,
        reason,
        found_by: by,
        found_at: at,
        retried_at: null,
      });
  });
  return [...found.values()];
}

export interface MarkDependencies {
  run: Run;
  connection: KafkaConnection;
  appender: Pick<Appender, 'write'>;
}

/** Records that a dead letter was appended again, where the dead letter itself is stored. */
export async function markBroughtBack(
  { run, connection: { topics }, appender }: MarkDependencies,
  { partition, kafka_offset: offset, key, found_by: by }: DeadLetterEntry,
): Promise<void> {
  if (by === 'projector') {
    await run(
      sql`update jobledger.dead_letters set retried_at = now()
        where topic = ${topics.ledger} and partition = ${partition} and kafka_offset = ${offset}`,
    );
    return;
  }
  const headers = {
    topic: topics.ledger,
    by,
    'brought-back-at': new Date().toISOString(),
    ...(partition !== null && { partition: String(partition) }),
    ...(offset !== null && { offset }),
  };
  await appender.write(topics.deadLetters, [{ key, value: null, headers }]);
}
