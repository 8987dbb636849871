import { UnavailableError } from '../errors.ts';
import type { KafkaConnection } from './connection.ts';
import { subscribe, type LedgerRecord } from './subscribe.ts';

/** Offset after the newest record, by partition. */
export async function endsOf({ kafka }: KafkaConnection, topic: string): Promise<Map<number, bigint>> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const offsets = await admin.fetchTopicOffsets(topic);
    return new Map(
      offsets.filter((each) => each.high !== each.low).map((each) => [each.partition, BigInt(each.high)]),
    );
  } catch (cause) {
    throw new UnavailableError(`Kafka does not tell the end of the topic ${topic}`, { cause });
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

/** A reader that got nothing for so long is given up and another one goes on where it was. */
const STALLED_MS = 15_000;
const CLOSE_LIMIT_MS = 5000;

/** Reads a topic from its beginning to the end it has now, each partition in order, each record once. */
export async function scan(
  connection: KafkaConnection,
  topic: string,
  visit: (record: LedgerRecord) => void,
): Promise<void> {
  const ends = await endsOf(connection, topic);
  const next = new Map<number, bigint>();
  while (ends.size > 0) await readOn(connection, topic, ends, next, visit);
}

/** Reads until every partition is at its end (then it leaves `ends`), or nothing comes any more. */
async function readOn(
  connection: KafkaConnection,
  topic: string,
  ends: Map<number, bigint>,
  next: Map<number, bigint>,
  visit: (record: LedgerRecord) => void,
): Promise<void> {
  let finish: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const restartTimer = (): void => {
    clearTimeout(timer);
    timer = setTimeout(finish, STALLED_MS);
  };
  restartTimer();
  const subscription = await subscribe(connection, {
    topic,
    positionOf: (partition) => Promise.resolve(next.get(partition) ?? 0n),
    onBatch: ({ partition, records }) => {
      restartTimer();
      const [end, from] = [ends.get(partition) ?? 0n, next.get(partition) ?? 0n];
      for (const record of records) if (record.offset >= from && record.offset < end) visit(record);
      next.set(partition, (records.at(-1)?.offset ?? -1n) + 1n);
      if ((next.get(partition) ?? 0n) >= end) ends.delete(partition);
      if (ends.size === 0) finish();
      return Promise.resolve();
    },
  });
  await finished;
  clearTimeout(timer);
  await atMost(CLOSE_LIMIT_MS, subscription.close());
}

async function atMost(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
