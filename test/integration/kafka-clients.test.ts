import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readTopicSettings } from '../../services/adapters/kafka/alter-topic.ts';
import type { UsedAdmin } from '../../services/adapters/kafka/client-library.ts';
import { connectKafka, type KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { createPartitioner } from '../../services/adapters/kafka/create-partitioner.ts';
import { protocolErrorName } from '../../services/adapters/kafka/protocol-error.ts';
import { connectProducer } from '../../services/adapters/kafka/producer.ts';
import { readExtents, offsetsAt, scan } from '../../services/adapters/kafka/scan.ts';
import { subscribe } from '../../services/adapters/kafka/subscribe.ts';
import { type LedgerRecord, type Subscription } from '../../services/adapters/kafka/subscription.ts';
import { ensureTopics } from '../../services/adapters/kafka/topics.ts';
import { unreadTopicReason } from '../../services/adapters/kafka/why-unread.ts';
import { committedOffsets } from '../../services/consumers/groups.ts';
import { readKafkaCluster } from '../../services/installation/installation.ts';
import { startKafka, type AKafka } from '../support/a-kafka.ts';
import { eventually } from '../support/eventually.ts';
import { KAFKA_CLIENTS } from '../support/kafka-clients.ts';

// The adapter must do this with each client library (SECURITY.md); append.test.ts and dispatcher-subscribe.test.ts have more tests.
type Client = (connection: KafkaConnection) => KafkaConnection;

let kafka: AKafka;
let ledgers = 0;

beforeAll(async () => {
  kafka = await startKafka();
}, 120_000);

afterAll(async () => {
  await kafka?.stop();
}, 60_000);

/** Creates a ledger that both libraries can use: `through` connects to the ledger by one of them. */
async function aLedger(
  partitions = 2,
): Promise<{ topic: string; through: (client: Client) => KafkaConnection }> {
  const ledger = kafka.ledger(`clients-${(ledgers += 1)}`, partitions);
  await ensureTopics(ledger, AbortSignal.timeout(30_000));
  return { topic: ledger.topics.ledger, through: (client) => client(ledger) };
}

async function write(
  ledger: KafkaConnection,
  messages: { key: string; value: string; partition?: number; timestamp?: string }[],
): Promise<void> {
  const producer = await connectProducer(ledger.kafka);
  try {
    await producer.send({ topic: ledger.topics.ledger, messages });
  } finally {
    await producer.disconnect();
  }
}

async function readRecords(ledger: KafkaConnection): Promise<LedgerRecord[]> {
  const found: LedgerRecord[] = [];
  await scan(ledger, ledger.topics.ledger, (record) => found.push(record));
  return found;
}

async function withAdmin<T>(
  { kafka: client }: KafkaConnection,
  work: (admin: UsedAdmin) => Promise<T>,
): Promise<T> {
  const admin = client.admin();
  try {
    await admin.connect();
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}

interface Member {
  subscription: Subscription;
  /** Each assignment has added its partitions here. */
  assignments: number[][];
  seen: string[];
}

async function aMember(ledger: KafkaConnection, groupId: string): Promise<Member> {
  const [assignments, seen]: [number[][], string[]] = [[], []];
  const subscription = await subscribe(ledger, {
    topic: ledger.topics.ledger,
    groupId,
    readPosition: () => Promise.resolve(0n),
    onAssigned: (partitions) => void assignments.push(partitions),
    onBatch: ({ records }) => Promise.resolve(void seen.push(...records.map(({ value }) => String(value)))),
  });
  return { subscription, assignments, seen };
}

async function untilAssigned(members: readonly Member[], wanted: readonly number[]): Promise<void> {
  await eventually(`the partitions ${wanted.join(', ')} are assigned`, 30, () => {
    const now = members.map(({ assignments }) => assignments.at(-1) ?? []);
    const isDivided = now.every((each) => each.length === wanted.length / members.length);
    const isEach = new Set(now.flat()).symmetricDifference(new Set(wanted)).size === 0;
    return Promise.resolve((isDivided && isEach) || undefined);
  });
}

describe.each(KAFKA_CLIENTS)('with the client library %s,', (_name, client) => {
  it('a topic gets the settings of Jobledger when it is created, and again after another client has changed them', async () => {
    const ledger = client(kafka.ledger(`clients-${(ledgers += 1)}`));
    const topic = ledger.topics.live;
    // A broker shows a change a moment after the controller has confirmed it.
    const showsCompaction = (wanted: string): Promise<true> =>
      eventually(`max.compaction.lag.ms is ${wanted}`, 20, async () => {
        const settings = await withAdmin(ledger, (admin) => readTopicSettings(admin, topic));
        return settings.get('max.compaction.lag.ms')?.value === wanted || undefined;
      });
    expect(await unreadTopicReason(ledger, topic)).toContain(`Kafka has no topic ${topic}`);
    await ensureTopics(ledger, AbortSignal.timeout(30_000));
    expect(await unreadTopicReason(ledger, topic)).toBeNull();
    await showsCompaction('600000');
    const changed = { name: 'max.compaction.lag.ms', value: '1000' };
    const resources = [{ type: 2, name: topic, configEntries: [changed] }];
    await withAdmin(ledger, (admin) => admin.alterConfigs({ validateOnly: false, resources }));
    await showsCompaction('1000');
    await ensureTopics(ledger, AbortSignal.timeout(30_000));
    await showsCompaction('600000');
  }, 60_000);

  it('wrong credentials end the attempts of the client at once, with an error that says so', async () => {
    const ledger = kafka.ledger('any');
    const config = { ...ledger.config, KAFKA_SASL_PASSWORD: 'wrong' };
    const refused = client(connectKafka(config, ledger.log));
    await expect(ensureTopics(refused, AbortSignal.timeout(30_000))).rejects.toThrow(
      'refuses our credentials',
    );
  }, 60_000);

  it('a record is stored in the partition that Jobledger computes from its key, also with three partitions', async () => {
    const { through } = await aLedger(3);
    const ledger = through(client);
    const keys = Array.from({ length: 40 }, (_none, at) => `local/job-${at}`);
    await write(
      ledger,
      keys.map((key) => ({ key, value: 'an event' })),
    );
    const found = await readRecords(ledger);
    const choosePartition = createPartitioner(ledger);
    expect(found.map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
    expect(found.filter(({ key, partition }) => partition !== choosePartition(key))).toEqual([]);
  }, 60_000);

  it('the first and last offsets of partitions, and the offsets at an instant, agree with the records of the topic', async () => {
    const { topic, through } = await aLedger();
    const ledger = through(client);
    await write(ledger, [
      { partition: 0, key: 'a', value: 'one', timestamp: '1000' },
      { partition: 0, key: 'a', value: 'two', timestamp: '2000' },
      { partition: 1, key: 'b', value: 'three', timestamp: '1000' },
    ]);
    expect(await readExtents(ledger, topic)).toEqual(
      new Map([
        [0, { first: 0n, end: 2n }],
        [1, { first: 0n, end: 1n }],
      ]),
    );
    expect(await offsetsAt(ledger, topic, 1500)).toEqual(
      new Map([
        [0, 1n],
        [1, 1n],
      ]),
    );
  }, 60_000);

  it('a missing topic is created neither by a write nor by a read of its offsets', async () => {
    const ledger = client(kafka.ledger(`clients-${(ledgers += 1)}`));
    const refusal = await write(ledger, [{ key: 'a', value: 'one' }]).catch(protocolErrorName);
    expect(refusal).toBe('UNKNOWN_TOPIC_OR_PARTITION');
    await expect(readExtents(ledger, ledger.topics.ledger)).rejects.toThrow('Kafka has no topic');
  }, 60_000);

  it('the id of the Kafka cluster is the same as with the default library', async () => {
    const ledger = kafka.ledger('any');
    const id = await readKafkaCluster(client(ledger));
    expect(id).toEqual(expect.any(String));
    expect(id).toBe(await readKafkaCluster(ledger));
  });

  it('the members of a group divide the partitions, each commits only its own, and the last member gets all of them', async () => {
    const { topic, through } = await aLedger(4);
    const ledger = through(client);
    const group = `${topic}.readers`;
    const first = await aMember(ledger, group);
    await untilAssigned([first], [0, 1, 2, 3]);
    const second = await aMember(ledger, group);
    await untilAssigned([first, second], [0, 1, 2, 3]);
    await write(
      ledger,
      [0, 1, 2, 3].map((partition) => ({ partition, key: 'a', value: `to ${partition}` })),
    );
    const mine = first.assignments.at(-1) ?? [];
    const due = new Map([0, 1, 2, 3].map((partition) => [partition, 7n]));
    const committed = await eventually('it may commit', 20, async () => {
      const made = await first.subscription.commit(() => due);
      return made.size === mine.length ? made : undefined;
    });
    expect(new Set(committed.keys())).toEqual(new Set(mine));
    expect(await committedOffsets(ledger, group)).toEqual(new Map(mine.map((partition) => [partition, 7n])));
    await first.subscription.close();
    await untilAssigned([second], [0, 1, 2, 3]);
    await eventually('the partitions of the first one are read again', 20, () =>
      Promise.resolve(new Set(second.seen).size === 4 ? true : undefined),
    );
    await second.subscription.close();
  }, 120_000);
});

describe('the records that one client library writes', () => {
  const [[, kafkajs] = [], [, second] = []] = KAFKA_CLIENTS;
  const pairs: [string, Client | undefined, Client | undefined][] = [
    ['kafkajs, by @platformatic/kafka', kafkajs, second],
    ['@platformatic/kafka, by kafkajs', second, kafkajs],
  ];

  it.each(pairs)(
    'are read unchanged by the other library, compressed or not: records of %s',
    async (_name, writer, reader) => {
      const { through } = await aLedger();
      if (writer === undefined || reader === undefined) throw new Error('there are two libraries');
      const values = ['small', 'x'.repeat(40_000), 'ü'.repeat(40_000)];
      for (const value of values) await write(through(writer), [{ partition: 0, key: 'a', value }]);
      const found = (await readRecords(through(reader))).map(({ value }) => value?.toString());
      expect(found).toEqual(values);
    },
    60_000,
  );

  it('can be read by a group with members of both libraries, so that an upgrade may replace one replica after another', async () => {
    const { topic, through } = await aLedger(4);
    if (kafkajs === undefined || second === undefined) throw new Error('there are two libraries');
    const members: Member[] = [];
    for (const client of [kafkajs, second]) members.push(await aMember(through(client), `${topic}.mixed`));
    await untilAssigned(members, [0, 1, 2, 3]);
    await members[0]?.subscription.close();
    await untilAssigned(members.slice(1), [0, 1, 2, 3]);
    expect(members.map(({ assignments }) => assignments.at(-1)?.length)).toEqual([2, 4]);
    await members[1]?.subscription.close();
  }, 120_000);
});
