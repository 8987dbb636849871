import kafkajs, { type ITopicConfig } from 'kafkajs';
import { pino } from 'pino';
import { encodeEvent } from '../../services/adapters/events/event-codec.ts';
import { createAppender } from '../../services/adapters/kafka/append.ts';
import type { KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { connectProducer } from '../../services/adapters/kafka/producer.ts';
import { readEnds } from '../../services/adapters/kafka/scan.ts';
import { ensureTopics } from '../../services/adapters/kafka/topics.ts';
import { openFeatureLevel } from '../../services/installation/feature-level.ts';
import { translateJob } from '../../services/ingester/translate/translate.ts';
import { createStartReader } from '../../services/worker/recall/start-reader.ts';
import { createStreamReader } from '../../services/worker/recall/stream-reader.ts';
import { startKafka, type AKafka } from '../support/a-kafka.ts';
import { at, CLUSTER, jobObject } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';
import { REDACTION } from '../support/redaction.ts';

let kafka: AKafka;
const stop = new AbortController();
const level = { signal: stop.signal, onTooOld: () => undefined };

beforeAll(async () => {
  kafka = await startKafka();
}, 120_000);

afterAll(async () => {
  stop.abort();
  await kafka?.stop();
}, 60_000);

const WANTED = {
  'cleanup.policy': 'compact',
  'max.message.bytes': '4194304',
  'segment.bytes': '67108864',
  'segment.ms': '300000',
  'min.cleanable.dirty.ratio': '0.1',
  'max.compaction.lag.ms': '600000',
  'delete.retention.ms': '86400000',
};

/** Returns the settings of the topic itself, without defaults of the brokers. */
async function readSettings(
  { kafka: client }: KafkaConnection,
  topic: string,
): Promise<Record<string, string>> {
  const admin = client.admin();
  await admin.connect();
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic }],
  });
  await admin.disconnect();
  const own = (resources[0]?.configEntries ?? []).filter(
    ({ configSource }) => configSource === kafkajs.ConfigSource.TOPIC_CONFIG,
  );
  return Object.fromEntries(own.map(({ configName, configValue }) => [configName, configValue]));
}

/** A broker shows a change a moment after the controller has confirmed it. */
async function expectSettings(
  ledger: KafkaConnection,
  topic: string,
  wanted: Record<string, string>,
): Promise<void> {
  await eventually(`the topic ${topic} has its settings`, 20, async () => {
    expect(await readSettings(ledger, topic)).toEqual(wanted);
    return true;
  });
}

function ensure(ledger: KafkaConnection, role?: 'writer'): Promise<void> {
  return ensureTopics(ledger, new AbortController().signal, role);
}

async function create({ kafka: client }: KafkaConnection, topic: ITopicConfig): Promise<void> {
  const admin = client.admin();
  await admin.connect();
  await admin.createTopics({ topics: [topic] });
  await admin.disconnect();
}

describe('the ledger topic', () => {
  it('gets settings to keep its records for ever when an operator created it without settings, and no settings that equal the brokers’ defaults', async () => {
    const ledger = kafka.ledger('bare');
    await create(ledger, { topic: ledger.topics.ledger, numPartitions: 2 });
    await ensure(ledger, 'writer');
    await expectSettings(ledger, ledger.topics.ledger, { 'retention.ms': '-1' });
  });

  it('is refused by services that write to it when Kafka would delete its records after a week, while readers continue', async () => {
    const ledger = kafka.ledger('week');
    const configEntries = [{ name: 'retention.ms', value: '604800000' }];
    await create(ledger, { topic: ledger.topics.ledger, numPartitions: 2, configEntries });
    await expect(ensure(ledger, 'writer')).rejects.toThrow(
      /^the topic \w+\.week: retention\.ms is 604800000, wanted -1 .*--add-config retention\.ms=-1; or.*JOBLEDGER_LEDGER_RETENTION_MS=604800000$/,
    );
    await ensure(ledger);
    const meant = { ...ledger.config, JOBLEDGER_LEDGER_RETENTION_MS: 604_800_000 };
    await ensure({ ...ledger, config: meant }, 'writer');
    expect(await readSettings(ledger, ledger.topics.ledger)).toMatchObject({ 'retention.ms': '604800000' });
  });

  it('still gets all records in its first partitions after an operator has added partitions, so that a Job stays in one partition', async () => {
    const ledger = kafka.ledger('grown');
    await ensure(ledger);
    await openFeatureLevel(ledger, level);
    const admin = ledger.kafka.admin();
    await admin.connect();
    await admin.createPartitions({ topicPartitions: [{ topic: ledger.topics.ledger, count: 7 }] });
    await admin.disconnect();
    const appender = await createAppender(ledger);
    const keys = Array.from({ length: 50 }, (_none, index) => `east/job-${index}`);
    await appender.write(
      ledger.topics.ledger,
      keys.map((key) => ({ key, value: '{}' })),
    );
    await appender.close();
    expect(new Set((await readEnds(ledger, ledger.topics.ledger)).keys())).toEqual(new Set([0, 1]));
    await openFeatureLevel(ledger, level);
    const raised = { ...ledger.config, JOBLEDGER_LEDGER_PARTITIONS: 7 };
    await expect(openFeatureLevel({ ...ledger, config: raised }, level)).rejects.toThrow(
      `the ledger ${ledger.topics.ledger} has used 2 partitions from its beginning, but JOBLEDGER_LEDGER_PARTITIONS is 7`,
    );
  }, 60_000);
});

describe('the live topic', () => {
  it('is created with the settings that Jobledger wants for compaction and large records', async () => {
    const ledger = kafka.ledger('made');
    await ensure(ledger);
    expect(await readSettings(ledger, ledger.topics.live)).toEqual(WANTED);
  });

  it("gets these settings when an operator has created it, and keeps the operator's other settings", async () => {
    const ledger = kafka.ledger('created');
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
    const { 'delete.retention.ms': _default, ...changed } = WANTED;
    const settings = { ...changed, 'compression.type': 'gzip' };
    await expectSettings(ledger, ledger.topics.live, settings);
    await ensure(ledger);
    await expectSettings(ledger, ledger.topics.live, settings);
  });

  it('stays unchanged, with a warning, when the brokers refuse the settings', async () => {
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
    expect(lines.filter((line) => line.includes('Not authorized to access topics'))).toHaveLength(1);
    expect(lines.at(-1)).toContain(
      'cleanup.policy is delete, wanted compact (services read the topic more and more slowly, and Kafka deletes live Jobs)',
    );
    expect(lines.at(-1)).toContain(
      `--entity-name ${ledger.topics.live} --add-config cleanup.policy=compact,`,
    );
  });
});

describe('a Job whose stream has a record of a newer version', () => {
  it('is not recalled by this worker, which reports the record, while other Jobs are recalled and broken records skipped', async () => {
    const ledger = kafka.ledger('recall');
    await ensure(ledger);
    const scope = {
      cluster: CLUSTER,
      claim: 'managed' as const,
      redaction: REDACTION,
    };
    const record = (uid: string): { key: string; value: string } => {
      const [event] = translateJob(scope, jobObject({ uid }), at(0)).events;
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
    const readStart = createStartReader(createStreamReader(ledger, { locate: null }));
    const [refused, other] = await Promise.allSettled(
      ['newer', 'other'].map((uid) =>
        readStart({ cluster: CLUSTER, uid, namespace: 'default', name: uid, kind: 'Job' }, never),
      ),
    );
    expect(refused).toMatchObject({
      status: 'rejected',
      reason: {
        message: `${CLUSTER}/newer waits for a newer worker: this worker cannot recall the object, because its stream has a record of a newer version`,
        retryable: true,
      },
    });
    expect(other?.status === 'fulfilled' ? other.value.rest.map(({ type }) => type) : []).toEqual([
      'job.observed',
      'job.observed',
    ]);
  }, 60_000);
});
