import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalServers } from '../../infra/local/local-servers.ts';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { createAppender, type Appender } from '../../services/adapters/kafka/append.ts';
import { connectKafka, type KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { scan } from '../../services/adapters/kafka/scan.ts';
import { ensureTopics } from '../../services/adapters/kafka/topics.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { numberedUid } from '../support/a-big-job.ts';
import { KAFKA_CLIENTS } from '../support/kafka-clients.ts';
import { startServers } from '../support/shared-servers/start-servers.ts';

const [PRODUCE, METADATA] = [0, 3];
const HOST = '127.0.0.1';

let servers: LocalServers;
let connection: KafkaConnection;
let topic: string;
let between: Between;
const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-append-'));

beforeAll(async () => {
  const started = await startServers({ stateDir, kafka: true });
  servers = started.servers;
  const log = createLog('test');
  log.level = 'silent';
  connection = connectKafka(readConfig(kafkaEnvironment, started.environment), log);
  topic = connection.topics.ledger;
  await ensureTopics(connection, new AbortController().signal);
  between = await standBetween(Number(servers.addresses.kafkaBrokers?.split(':')[1]));
}, 120_000);

afterAll(async () => {
  between?.server.close();
  for (const client of between?.clients ?? []) client.destroy();
  await servers?.stop();
  rmSync(stateDir, { recursive: true, force: true });
}, 60_000);

interface Between {
  server: Server;
  clients: Set<Socket>;
  port: number;
  /** Tells what happens to the answers of the next append requests. */
  fate: ('pass' | 'cut' | 'keep')[];
  /** Counts the append requests to the broker. */
  appends: number;
  /** Counts the bytes of all append requests. */
  appendedBytes: number;
  /** Every metadata request is delayed by this number of milliseconds. */
  metadataDelay: number;
}

/** Forwards requests to the broker, and returns its answers unless they must be lost. */
async function standBetween(brokerPort: number): Promise<Between> {
  const server = createServer((client) => relay(client, brokerPort));
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return { server, clients: new Set(), port, fate: [], appends: 0, appendedBytes: 0, metadataDelay: 0 };
}

/**
 * A request begins with a length and the number of its API. The producers wait for each answer before they send the next request.
 */
function relay(client: Socket, brokerPort: number): void {
  between.clients.add(client);
  const broker = createConnection(brokerPort, HOST);
  let fate: 'pass' | 'cut' | 'keep' = 'pass';
  let request = Buffer.alloc(0);
  client.on('data', (bytes) => {
    request = Buffer.concat([request, bytes]);
    if (request.length < 6 || request.length < 4 + request.readInt32BE(0)) return;
    const [whole, api] = [request, request.readInt16BE(4)];
    request = Buffer.alloc(0);
    if (api === PRODUCE) {
      between.appends += 1;
      between.appendedBytes += whole.length;
      fate = between.fate.shift() ?? 'pass';
    }
    setTimeout(() => broker.write(whole), api === METADATA ? between.metadataDelay : 0);
  });
  broker.on('data', (bytes) => {
    if (fate === 'pass') client.write(leadingHere(bytes, brokerPort));
    if (fate === 'cut') client.destroy();
  });
  for (const [one, other] of [
    [client, broker],
    [broker, client],
  ] as const) {
    one.on('close', () => other.destroy());
    one.on('error', () => other.destroy());
  }
}

/** In metadata, the address of the broker becomes that of the proxy. */
function leadingHere(bytes: Buffer, brokerPort: number): Buffer {
  const at = bytes.indexOf(encodeAddress(brokerPort));
  if (at === -1) return bytes;
  const changed = Buffer.from(bytes);
  encodeAddress(between.port).copy(changed, at);
  return changed;
}

/** Encodes an address as the protocol of Kafka does. */
function encodeAddress(port: number): Buffer {
  const number = Buffer.alloc(4);
  number.writeInt32BE(port);
  return Buffer.concat([Buffer.from(HOST), number]);
}

/** Returns a record with a fixed key, so that all records are in one partition. */
const record = (value: string): { key: string; value: string }[] => [{ key: 'a-job', value }];

async function stored(): Promise<Set<string>> {
  const values = new Set<string>();
  await scan(connection, topic, ({ value }) => values.add(value?.toString() ?? ''));
  return values;
}

describe.each(KAFKA_CLIENTS)('with the client library %s,', (library, client) => {
  const named = (value: string): string => `${value}, with ${library}`;

  async function ownValues(): Promise<string[]> {
    return [...(await stored())].filter((value) => value.includes(named('')));
  }

  function appenderThroughTheMiddle(): Promise<Appender> {
    const config = { ...connection.config, KAFKA_BROKERS: [`${HOST}:${between.port}`] };
    const through = client(connectKafka(config, connection.log));
    return createAppender(through);
  }

  describe('an acknowledged append to the ledger', () => {
    it('is in the ledger even when the answer to one append is lost while the next append waits', async () => {
      const appender = await appenderThroughTheMiddle();
      Object.assign(between, { fate: ['pass', 'cut'], metadataDelay: 200, appends: 0 });
      await appender.write(topic, record(named('before')));
      await Promise.all([1, 2, 3].map((each) => appender.write(topic, record(named(`at once ${each}`)))));
      expect(await ownValues()).toEqual(['before', 'at once 1', 'at once 2', 'at once 3'].map(named));
      // There are at least three requests: one before, one without an answer, and its repeat. Appends at the same time may share one.
      expect(between.appends).toBeGreaterThanOrEqual(3);
      between.metadataDelay = 0;
      await appender.close();
    });

    it('is in the ledger also when Kafka stored the previous append although its caller got an error', async () => {
      const appender = await appenderThroughTheMiddle();
      await appender.write(topic, record(named('before that')));
      between.fate = ['keep'];
      await expect(appender.write(topic, record(named('given up')))).rejects.toThrow(
        `Kafka did not accept records for ${topic}`,
      );
      await appender.write(topic, record(named('after it')));
      const values = new Set(await ownValues());
      expect(['before that', 'given up', 'after it'].filter((value) => !values.has(named(value)))).toEqual(
        [],
      );
      await appender.close();
    });

    it('is in the ledger in the order of the calls, although answers are lost', async () => {
      const appender = await appenderThroughTheMiddle();
      const names = Array.from({ length: 50 }, (_none, each) => named(`in order ${each}`));
      between.fate = ['pass', 'pass', 'cut', 'pass', 'cut'];
      await Promise.all(names.map((name) => appender.write(topic, record(name))));
      const values = (await ownValues()).filter((value) => value.startsWith('in order'));
      expect(values).toEqual(names);
      await appender.close();
    });
  });

  describe('batches of any size', () => {
    it('are compressed with zstd, and are read exactly as they were written', async () => {
      const appender = await appenderThroughTheMiddle();
      const values = [2_000, 500_000].map((length) =>
        JSON.stringify({ zstd: numberedUid(length).repeat(length / 36), about: named('a batch') }),
      );
      const before = between.appendedBytes;
      for (const value of values) await appender.write(topic, record(value));
      await appender.close();
      const all = await stored();
      expect(values.filter((value) => all.has(value))).toEqual(values);
      expect(between.appendedBytes - before).toBeLessThan(2_000);
    });
  });
});

describe('a decision about 100,000 pods', () => {
  it('is accepted by the ledger, because the limit applies to its compressed size', async () => {
    const appender = await createAppender(connection);
    const pods = Array.from({ length: 100_000 }, (_none, at) => ({
      uid: numberedUid(at),
      name: `pi-${numberedUid(at).slice(-5)}`,
    }));
    const value = JSON.stringify({ commands: [{ kind: 'DeletePods', pods }] });
    expect(value.length).toBeGreaterThan(4 * 1024 * 1024);
    await appender.write(topic, record(value));
    expect((await stored()).has(value)).toBe(true);
    await appender.close();
  }, 60_000);
});
