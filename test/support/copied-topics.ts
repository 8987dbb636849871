import { mirrorTopics } from './mirror-maker.ts';
import { CompressionTypes, Partitioners, type Kafka, type Message } from 'kafkajs';
import type { KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { eventually } from './eventually.ts';

/**
 * Copies the topics of a ledger into those of another Kafka cluster, as a mirror does: each partition in order, with keys, headers
 * and timestamps. Partition 0 begins `shift` records later there, partition 1 one more, and so on: their offsets differ. With
 * `JOBLEDGER_TEST_MIRROR_MAKER`, a folder with the jars of org.apache.kafka:connect-mirror and its dependencies, MirrorMaker 2
 * copies them.
 */
export async function copyTopics(
  from: KafkaConnection,
  to: KafkaConnection<Kafka>,
  { shift }: { shift: number },
): Promise<void> {
  const topics = Object.values(from.topics) as string[];
  const partitions = await readPartitions(from, topics);
  await createTopics(to, partitions);
  const begins = (partition: number): number => (shift === 0 ? 0 : shift + partition);
  if (shift > 0) await shiftTopics(to, partitions, begins);
  const jars = process.env['JOBLEDGER_TEST_MIRROR_MAKER'];
  if (jars !== undefined) return mirrorTopics(jars, from, to);
  const records = await readRecords(from, partitions);
  await send(to, records);
}

/** The offset after the newest record of each partition, by topic. */
type Partitions = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** The records, by topic and partition. */
type Records = Map<string, Map<number, Message[]>>;

async function readPartitions({ kafka }: KafkaConnection, topics: readonly string[]): Promise<Partitions> {
  const admin = kafka.admin();
  await admin.connect();
  const found = new Map<string, Map<number, number>>();
  for (const topic of topics) {
    const offsets = await admin.fetchTopicOffsets(topic);
    found.set(topic, new Map(offsets.map(({ partition, high }) => [partition, Number(high)])));
  }
  await admin.disconnect();
  return found;
}

async function createTopics({ kafka }: KafkaConnection, partitions: Partitions): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  const topics = [...partitions].map(([topic, { size }]) => ({ topic, numPartitions: size }));
  await admin.createTopics({ topics, waitForLeaders: true });
  await admin.disconnect();
}

/** Writes records before those of the ledger, and deletes them. */
async function shiftTopics(
  to: KafkaConnection<Kafka>,
  partitions: Partitions,
  begins: (partition: number) => number,
): Promise<void> {
  const others: Records = new Map(
    [...partitions].map(([topic, ends]) => [
      topic,
      new Map(
        [...ends.keys()].map((partition) => [
          partition,
          Array.from({ length: begins(partition) }, () => ({ value: 'of another ledger' })),
        ]),
      ),
    ]),
  );
  await send(to, others);
  const admin = to.kafka.admin();
  await admin.connect();
  for (const [topic, ends] of partitions) {
    // The client looks for the leaders among the topics that it knows.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({
      topic,
      partitions: [...ends.keys()].map((partition) => ({ partition, offset: String(begins(partition)) })),
    });
  }
  await admin.disconnect();
}

async function readRecords({ kafka }: KafkaConnection, partitions: Partitions): Promise<Records> {
  const found: Records = new Map();
  const missing = new Map(
    [...partitions].map(([topic, ends]) => [topic, new Map([...ends].filter(([, end]) => end > 0))]),
  );
  const consumer = kafka.consumer({ groupId: `copy-${Date.now()}` });
  await consumer.connect();
  await consumer.subscribe({ topics: [...partitions.keys()], fromBeginning: true });
  await consumer.run({
    eachMessage: ({ topic, partition, message: { key, value, headers = {}, timestamp, offset } }) => {
      const ofTopic = found.get(topic) ?? new Map<number, Message[]>();
      found.set(topic, ofTopic);
      const records = ofTopic.get(partition) ?? [];
      ofTopic.set(partition, [...records, { key, value, headers, timestamp }]);
      const ends = missing.get(topic);
      if (Number(offset) + 1 >= (ends?.get(partition) ?? 0)) ends?.delete(partition);
      return Promise.resolve();
    },
  });
  await eventually('everything is read', 60, () =>
    Promise.resolve([...missing.values()].every(({ size }) => size === 0) || undefined),
  );
  await consumer.disconnect();
  return found;
}

async function send({ kafka }: KafkaConnection<Kafka>, records: Records): Promise<void> {
  const producer = kafka.producer({
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  for (const [topic, partitions] of records)
    for (const [partition, messages] of partitions)
      if (messages.length > 0)
        await producer.send({
          topic,
          acks: -1,
          compression: CompressionTypes.GZIP,
          messages: messages.map((message) => ({ ...message, partition })),
        });
  await producer.disconnect();
}
