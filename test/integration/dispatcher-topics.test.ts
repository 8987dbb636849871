import { ConfigResourceTypes, ConfigSource } from 'kafkajs';
import { pino } from 'pino';
import { encodeEvent } from '../../services/adapters/event-codec.ts';
import type { KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { connectProducer } from '../../services/adapters/kafka/producer.ts';
import { ensureTopics } from '../../services/adapters/kafka/topics.ts';
import { jobObserved } from '../../services/ingester/translate.ts';
import { createStreamReader } from '../../services/worker/recall/stream-reader.ts';
import { startKafka, type AKafka } from '../support/a-kafka.ts';
import { at, CLUSTER, jobObject } from '../support/builders.ts';

let kafka: AKafka;

beforeAll(async () => {
  kafka = await startKafka();
}, 120_000);

afterAll(() => kafka?.stop(), 60_000);

const WANTED = {
  'cleanup.policy': 'compact',
  'max.message.bytes': '4194304',
  'segment.bytes': '67108864',
  'segment.ms': '300000',
  'min.cleanable.dirty.ratio': '0.1',
  'max.compaction.lag.ms': '600000',
  'delete.retention.ms': '86400000',
};

/** The settings of the topic itself. */
async function settingsOf(
  { kafka: client }: KafkaConnection,
  topic: string,
): Promise<Record<string, string>> {
  const admin = client.admin();
  await admin.connect();
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: ConfigResourceTypes.TOPIC, name: topic }],
  });
  await admin.disconnect();
  const own = (resources[0]?.configEntries ?? []).filter(
    ({ configSource }) => configSource === ConfigSource.TOPIC_CONFIG,
  );
  return Object.fromEntries(own.map(({ configName, configValue }) => [configName, configValue]));
}

function ensure(ledger: KafkaConnection): Promise<void> {
  return ensureTopics(ledger, new AbortController().signal);
}

describe('the live topic', () => {
  it('is created with settings for early compaction and large selectors', async () => {
    const ledger = kafka.ledger('made');
    await ensure(ledger);
    expect(await settingsOf(ledger, ledger.topics.live)).toEqual(WANTED);
  });

  it("of an earlier version gets these settings, and keeps an operator's other ones", async () => {
    const ledger = kafka.ledger('earlier');
    const admin = ledger.kafka.admin();
    await admin.connect();
    await admin.createTopics({
      topics: [
        {
          topic: ledger.topics.live,
          numPartitions: 1,
          configEntries: [
            { name: 'cleanup.policy', value: 'compact' },
            { name: 'max.message.bytes', value: '2097152' },
            { name: 'compression.type', value: 'gzip' },
          ],
        },
      ],
    });
    await admin.disconnect();
    await ensure(ledger);
    const settings = { ...WANTED, 'compression.type': 'gzip' };
    expect(await settingsOf(ledger, ledger.topics.live)).toEqual(settings);
    await ensure(ledger);
    expect(await settingsOf(ledger, ledger.topics.live)).toEqual(settings);
  });

  it('stays as it is, with a warning, when the brokers refuse that', async () => {
    const ledger = kafka.ledger('refused');
    const admin = ledger.kafka.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic: ledger.topics.live, numPartitions: 1 }] });
    await admin.disconnect();
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const client = Object.assign(Object.create(ledger.kafka) as typeof ledger.kafka, {
      admin: () =>
        Object.assign(ledger.kafka.admin(), {
          alterConfigs: () => Promise.reject(new Error('Not authorized to access topics')),
        }),
    });
    await ensure({ ...ledger, kafka: client, log });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('Kafka refuses these settings of the topic');
    expect(lines[0]).toContain('Not authorized to access topics');
  });
});

describe('a Job whose stream has a record of a newer version', () => {
  it('cannot be recalled by this worker, which reports that; others can, and broken records are skipped', async () => {
    const ledger = kafka.ledger('recall');
    await ensure(ledger);
    const scope = {
      cluster: CLUSTER,
      claim: 'managed' as const,
      redaction: { env: true, maxBytes: 1_000_000 },
    };
    const record = (uid: string): { key: string; value: string } => {
      const [event] = jobObserved(scope, jobObject({ uid }), at(0)).events;
      if (event === undefined) throw new Error('an observation is an event');
      return encodeEvent(event);
    };
    const newer = record('newer').value.replace('job.observed.v1', 'job.observed.v2');
    const producer = await connectProducer(ledger.kafka);
    const messages = [
      record('newer'),
      { key: `${CLUSTER}/newer`, value: newer },
      record('newer'),
      record('other'),
      { key: `${CLUSTER}/other`, value: '{' },
      record('other'),
    ];
    await producer.send({ topic: ledger.topics.ledger, messages });
    await producer.disconnect();
    const { signal: never } = new AbortController();
    const streamOf = createStreamReader(ledger, { locate: null });
    const [refused, other] = await Promise.allSettled([
      streamOf(`${CLUSTER}/newer`, never),
      streamOf(`${CLUSTER}/other`, never),
    ]);
    expect(refused).toMatchObject({
      status: 'rejected',
      reason: {
        message: `the Job ${CLUSTER}/newer waits for a newer worker: this one cannot recall it, for its stream holds a record of a newer version`,
        retryable: true,
      },
    });
    expect(other.status === 'fulfilled' ? other.value.map(({ type }) => type) : []).toEqual([
      'job.observed',
      'job.observed',
    ]);
  }, 60_000);
});
