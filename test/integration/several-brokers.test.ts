import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import kafkajs, { type Kafka, type ITopicConfig } from 'kafkajs';
import { pino } from 'pino';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { createAppender } from '../../services/adapters/kafka/append.ts';
import { connectKafka, type KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { readEnds } from '../../services/adapters/kafka/scan.ts';
import { subscribe } from '../../services/adapters/kafka/subscribe.ts';
import { ensureTopics, keepTopics } from '../../services/adapters/kafka/topics.ts';
import { stampLedger } from '../../services/installation/stamp.ts';
import { readInstallationId } from '../../services/installation/installation.ts';
import { hasInstallationTopic } from '../../services/installation/installation-records.ts';
import { eventually } from '../support/eventually.ts';
import { jobledger, type CommandResult } from '../support/rebuild.ts';
import { startThreeBrokers, type ThreeBrokers } from '../support/three-brokers.ts';

jest.setTimeout(240_000);

/** The limits are below a record of 4 MiB, and the default replication factor is 1. */
const SETTINGS = {
  'message.max.bytes': '1000000',
  'replica.fetch.max.bytes': '1000000',
  'default.replication.factor': '1',
  'min.insync.replicas': '1',
};

let brokers: ThreeBrokers;
const lines: string[] = [];
const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });

beforeAll(async () => {
  brokers = await startThreeBrokers(SETTINGS);
}, 180_000);
afterAll(() => brokers?.stop());
beforeEach(() => void lines.splice(0));

function ledgerEnvironment(ledger: string, more: Record<string, string> = {}): Record<string, string> {
  return {
    ...brokers.variables,
    JOBLEDGER_LEDGER_TOPIC: ledger,
    JOBLEDGER_LEDGER_PARTITIONS: '2',
    ...more,
  };
}

function connect(ledger: string, more: Record<string, string> = {}): KafkaConnection<Kafka> {
  return connectKafka(readConfig(kafkaEnvironment, ledgerEnvironment(ledger, more)), log);
}

function ensure(ledger: KafkaConnection, role?: 'writer'): Promise<void> {
  return ensureTopics(ledger, new AbortController().signal, role);
}

let lost: number | undefined;

/** Stops a broker, unless another was stopped before: two of three must run. */
async function lose(id: number): Promise<void> {
  lost ??= id;
  await brokers.stopBroker(lost);
}

async function create({ kafka }: KafkaConnection, topic: ITopicConfig): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [topic], waitForLeaders: true });
  await admin.disconnect();
}

/** Returns the number of replicas and a setting of each topic of the installation. */
async function readTopicStates(
  { kafka, topics }: KafkaConnection,
  setting: string,
): Promise<Record<string, { replicas: number; value: string | undefined }>> {
  const admin = kafka.admin();
  await admin.connect();
  const names = Object.values(topics) as string[];
  const found = await admin.fetchTopicMetadata({ topics: names });
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
  });
  await admin.disconnect();
  const findValue = (topic: string): string | undefined =>
    resources
      .find(({ resourceName }) => resourceName === topic)
      ?.configEntries.find(({ configName }) => configName === setting)?.configValue;
  return Object.fromEntries(
    found.topics.map(({ name, partitions }) => [
      name,
      { replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)), value: findValue(name) },
    ]),
  );
}

async function set({ kafka, topics }: KafkaConnection, name: string, value: string): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  await admin.alterConfigs({
    validateOnly: false,
    resources: [
      { type: kafkajs.ConfigResourceTypes.TOPIC, name: topics.ledger, configEntries: [{ name, value }] },
    ],
  });
  await admin.disconnect();
}

/** A broker shows a setting of the ledger's topic a moment after the controller has confirmed it. */
async function expectSetting(ledger: KafkaConnection, name: string, value: string): Promise<void> {
  await eventually(`${name} is ${value}`, 20, async () => {
    const { [ledger.topics.ledger]: topic } = await readTopicStates(ledger, name);
    return topic?.value === value || undefined;
  });
}

async function write(ledger: KafkaConnection, ...values: string[]): Promise<void> {
  const appender = await createAppender(ledger);
  await appender.write(
    ledger.topics.ledger,
    values.map((value) => ({ key: 'east/a', value })),
  );
  await appender.close();
}

describe('a new ledger on several brokers', () => {
  it('has three replicas of each topic, of which two must have a record', async () => {
    const ledger = connect('new');
    await ensure(ledger, 'writer');
    const state = await readTopicStates(ledger, 'min.insync.replicas');
    expect(Object.keys(state)).toHaveLength(4);
    for (const topic of Object.values(state)) expect(topic).toEqual({ replicas: 3, value: '2' });
  });

  it('has as many replicas as the operator configured', async () => {
    const ledger = connect('chosen', { JOBLEDGER_LEDGER_REPLICATION: '1' });
    await ensure(ledger, 'writer');
    for (const topic of Object.values(await readTopicStates(ledger, 'min.insync.replicas')))
      expect(topic).toEqual({ replicas: 1, value: '1' });
  });
});

describe('a ledger with one replica', () => {
  it('is used, with an error in the log unless the operator has configured one replica', async () => {
    const ledger = connect('single');
    await create(ledger, { topic: 'single', numPartitions: 2, replicationFactor: 1 });
    lines.length = 0;
    await ensure(ledger, 'writer');
    expect(lines.join('')).toMatch(
      /"level":50,.*the topic single: 2 partitions have fewer than 2 replicas \(the loss of one broker loses events\); run kafka-reassign-partitions\.sh --bootstrap-server [\d.:,]+ --reassignment-json-file FILE --execute, where FILE contains \{\\"version\\":1,\\"partitions\\":\[\{\\"topic\\":\\"single\\",\\"partition\\":0,\\"replicas\\":\[\d,\d,\d\]\},.*\]\}; or, if this is intended, set JOBLEDGER_LEDGER_REPLICATION=1/,
    );
    lines.length = 0;
    await ensure(connect('single', { JOBLEDGER_LEDGER_REPLICATION: '1' }), 'writer');
    expect(lines.join('')).not.toContain('fewer than');
  });
});

describe('brokers whose limits are below the largest record', () => {
  it('are named in the log with their limits and with the limits that Jobledger wants', async () => {
    await ensure(connect('limits'), 'writer');
    expect(lines.join('')).toMatch(/message\.max\.bytes is 1000000 on the brokers 1, 2, 3, wanted 4194304/);
    expect(lines.join('')).toMatch(
      /replica\.fetch\.max\.bytes is 1000000 on the brokers 1, 2, 3, wanted 4194304/,
    );
  });

  it('still accept a record of 4 MB', async () => {
    const ledger = connect('large');
    await ensure(ledger, 'writer');
    await write(ledger, 'x'.repeat(4_000_000));
    const ends = await readEnds(ledger, ledger.topics.ledger);
    expect([...ends.values()]).toEqual([1n]);
  });
});

describe('settings that another client changes while services run', () => {
  it.each([
    ['compression.type', 'lz4', 'producer'],
    ['unclean.leader.election.enable', 'true', 'false'],
    ['min.insync.replicas', '4', '2'],
  ])('are set back by a service: %s=%s', async (name, bad, good) => {
    const ledger = connect(`changed-${name}`);
    const stop = new AbortController();
    await keepTopics(ledger, { signal: stop.signal, role: 'writer', everyMs: 300 });
    lines.length = 0;
    await set(ledger, name, bad);
    const corrected = new RegExp(`"settings":{.*"${name}":"${good}".*the settings of the topic were updated`);
    await eventually(`${name} is corrected`, 30, () =>
      Promise.resolve(lines.some((line) => corrected.test(line)) || undefined),
    );
    await expectSetting(ledger, name, good);
    stop.abort();
  });

  it.each(['retention.ms', 'retention.bytes'])(
    'are only reported, at each check, when Kafka would then delete events: %s',
    async (name) => {
      const ledger = connect(`changed-${name}`);
      const stop = new AbortController();
      await keepTopics(ledger, { signal: stop.signal, role: 'writer', everyMs: 300 });
      await set(ledger, name, '3600000');
      const variable = `JOBLEDGER_LEDGER_${name.toUpperCase().replace('.', '_')}`;
      const warning = `"level":40,.*the topic changed-${name}: ${name} is 3600000, wanted -1 \\(Kafka deletes events that must be kept\\); run kafka-configs\\.sh .* --entity-name changed-${name} --add-config ${name}=-1; or, if this is intended, set ${variable}=3600000`;
      await eventually('it is named twice', 30, () =>
        Promise.resolve(lines.filter((line) => new RegExp(warning).test(line)).length >= 2 || undefined),
      );
      stop.abort();
      await expectSetting(ledger, name, '3600000');
    },
  );
});

describe('a reader of a ledger on several brokers', () => {
  /** Reads until `enough` accepts the brokers that got requests, in order. Returns the client ids of the members of the group. */
  async function readUntil(
    ledger: KafkaConnection<Kafka>,
    enough: (asked: readonly number[]) => boolean,
  ): Promise<string[]> {
    const asked: number[] = [];
    const addresses = ledger.config.KAFKA_BROKERS;
    const { consumer } = ledger.kafka;
    ledger.kafka.consumer = (options) => {
      const made = consumer.call(ledger.kafka, options);
      made.on(made.events.REQUEST, ({ payload }) => {
        if (payload.apiName === 'Fetch') asked.push(addresses.indexOf(payload.broker) + 1);
      });
      return made;
    };
    const groupId = `${ledger.topics.ledger}.projector`;
    const seen: string[] = [];
    const subscription = await subscribe(ledger, {
      topic: ledger.topics.ledger,
      groupId,
      readPosition: () => Promise.resolve(0n),
      onBatch: ({ records }) => Promise.resolve(void seen.push(...records.map(({ key }) => key))),
    });
    await eventually('the record is read from the right broker', 30, () =>
      Promise.resolve((seen.length > 0 && enough(asked)) || undefined),
    );
    const admin = ledger.kafka.admin();
    await admin.connect();
    const { groups } = await admin.describeGroups([groupId]);
    await admin.disconnect();
    await subscription.close();
    return groups.flatMap(({ members }) => members.map(({ clientId }) => clientId));
  }

  it('reads from the broker in its own rack, with a client id that names its ledger and service', async () => {
    await ensure(connect('racks'), 'writer');
    await write(connect('racks'), 'a record');
    for (const id of [1, 2, 3]) {
      const config = readConfig(
        kafkaEnvironment,
        ledgerEnvironment('racks', { JOBLEDGER_KAFKA_RACK: `zone-${id}` }),
      );
      const reader = connectKafka(config, log, { service: 'projector' });
      const isLast = (asked: readonly number[]): boolean =>
        asked.length > 10 && asked.slice(-5).every((each) => each === id);
      expect(await readUntil(reader, isLast)).toEqual(['jobledger-racks-projector']);
    }
  });
});

describe('the verb jobledger admin verify', () => {
  const verify = async (ledger: string): Promise<CommandResult & { seconds: number }> => {
    const begin = performance.now();
    const result = await jobledger(ledgerEnvironment(ledger), 'admin', 'verify', '--all');
    return { ...result, seconds: (performance.now() - begin) / 1000 };
  };

  it('reports that the ledger does not exist', async () => {
    const { exitCode, stderr, seconds } = await verify('missing');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining('Kafka has no topic missing; check JOBLEDGER_LEDGER_TOPIC'),
    });
    expect(seconds).toBeLessThan(60);
  });

  it('reports a codec that it cannot decode', async () => {
    const ledger = connect('packed');
    await ensure(ledger, 'writer');
    await stampLedger(ledger);
    await set(ledger, 'compression.type', 'lz4');
    await expectSetting(ledger, 'compression.type', 'lz4');
    await write(ledger, 'x'.repeat(1000));
    const { exitCode, stderr, seconds } = await verify('packed');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(
        /the topic packed contains records that are compressed with lz4, which this version cannot decode.*--entity-name packed --add-config compression\.type=producer/,
      ),
    });
    expect(seconds).toBeLessThan(60);
  });

  it('reports a partition without a leader', async () => {
    const ledger = connect('leaderless', { JOBLEDGER_LEDGER_REPLICATION: '1' });
    await ensure(ledger, 'writer');
    await write(ledger, 'a record');
    const admin = ledger.kafka.admin();
    await admin.connect();
    const { topics } = await admin.fetchTopicMetadata({ topics: ['leaderless'] });
    await admin.disconnect();
    await lose(topics[0]?.partitions[0]?.leader ?? -1);
    const { exitCode, stderr, seconds } = await verify('leaderless');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      // The partition is one of the ledger, or of the topic of the installation, which is read first.
      stderr: expect.stringMatching(
        /a partition of the topic leaderless(\.features)? has no leader, because its brokers are down; start them \(kafka-topics\.sh /,
      ),
    });
    expect(seconds).toBeLessThan(60);
  });

  it('reports that Kafka does not answer', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const environment = { ...ledgerEnvironment('silent'), KAFKA_BROKERS: `127.0.0.1:${port}` };
    const begin = performance.now();
    const { exitCode, stderr } = await jobledger(environment, 'admin', 'verify', '--all');
    silent.close();
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining(`Kafka at 127.0.0.1:${port} does not answer`),
    });
    expect(performance.now() - begin).toBeLessThan(60_000);
  });
});

describe('partitions without a leader in topics of other programs', () => {
  it('do not prevent the use of a ledger in the same Kafka', async () => {
    const ledger = connect('beside');
    const replicaAssignment = [1, 2, 3].map((id) => ({ partition: id - 1, replicas: [id] }));
    if (lost === undefined) await create(ledger, { topic: 'of-others', replicaAssignment });
    await lose(3);
    const limit = AbortSignal.timeout(30_000);
    await ensureTopics(ledger, limit, 'writer');
    await write(ledger, 'a record');
    expect([...(await readEnds(ledger, 'beside')).values()]).toEqual([1n]);
    expect(await hasInstallationTopic(ledger)).toBe(true);
    expect(await readInstallationId(ledger, limit)).toMatch(/^[0-9a-f]{10}$/);
  });
});
