import type { KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { connectProducer } from '../../services/adapters/kafka/producer.ts';
import { subscribe } from '../../services/adapters/kafka/subscribe.ts';
import { type Subscription, type SubscribeOptions } from '../../services/adapters/kafka/subscription.ts';
import { ensureTopics } from '../../services/adapters/kafka/topics.ts';
import { NewerRecordError } from '../../services/adapters/events/unreadable-record.ts';
import { startKafka, type AKafka } from '../support/a-kafka.ts';
import { KAFKA_CLIENTS } from '../support/kafka-clients.ts';
import { eventually } from '../support/eventually.ts';

let kafka: AKafka;
type Client = (connection: KafkaConnection) => KafkaConnection;

const open: Subscription[] = [];

beforeAll(async () => {
  kafka = await startKafka();
}, 120_000);

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
}, 30_000);

afterAll(async () => {
  await kafka?.stop();
}, 60_000);

let ledgers = 0;

async function aLedger(topic: string, client: Client): Promise<KafkaConnection> {
  const ledger = client(kafka.ledger(`${topic}-${(ledgers += 1)}`));
  await ensureTopics(ledger, new AbortController().signal);
  return ledger;
}

const fromTheBeginning = (): Promise<bigint> => Promise.resolve(0n);

async function read(ledger: KafkaConnection, options: Partial<SubscribeOptions>): Promise<Subscription> {
  const { ledger: topic } = ledger.topics;
  const onBatch = (): Promise<void> => Promise.resolve();
  const opened = await subscribe(ledger, {
    topic,
    groupId: `${topic}.readers`,
    readPosition: fromTheBeginning,
    onBatch,
    ...options,
  });
  open.push(opened);
  return opened;
}

async function append(ledger: KafkaConnection, partition: number, ...values: string[]): Promise<void> {
  const producer = await connectProducer(ledger.kafka);
  const messages = values.map((value) => ({ partition, key: 'a-job', value }));
  await producer.send({ topic: ledger.topics.ledger, messages });
  await producer.disconnect();
}

/** Returns the options of a reader that takes records with this beginning for newer ones. */
function aReaderTooOldFor(newer: string): {
  seen: string[];
  stopped: string[];
  asked: () => number;
  options: Partial<SubscribeOptions>;
} {
  const seen: string[] = [];
  const stopped: string[] = [];
  let asked = 0;
  return {
    seen,
    stopped,
    asked: () => asked,
    options: {
      onBatch: ({ partition, records }) => {
        asked += 1;
        for (const { value } of records) {
          if (value?.toString().startsWith(newer) === true) throw new NewerRecordError(`no ${newer} here`);
          seen.push(`${partition}: ${value?.toString()}`);
        }
        return Promise.resolve();
      },
      onStopped: (partition, error) => void stopped.push(`${partition}: ${error.message}`),
    },
  };
}

describe.each(KAFKA_CLIENTS)('with the client library %s,', (_name, client) => {
  describe('a record of a newer version', () => {
    it('stops its partition, which is reported once with the reason, while earlier records and other partitions are read', async () => {
      const ledger = await aLedger('newer', client);
      await append(ledger, 0, 'one', 'v2', 'two');
      await append(ledger, 1, 'three');
      const { seen, stopped, asked, options } = aReaderTooOldFor('v2');
      await read(ledger, options);
      await eventually('it stops', 10, () => Promise.resolve(stopped[0]));
      for (const value of ['four', 'five']) {
        await append(ledger, 1, value);
        await eventually(`${value} is read`, 10, () =>
          Promise.resolve(seen.includes(`1: ${value}`) ? true : undefined),
        );
      }
      expect(stopped).toEqual(['0: no v2 here']);
      expect(seen.toSorted()).toEqual(['0: one', '1: five', '1: four', '1: three']);
      // The partition that stopped was read once, and each other record at most once.
      expect(asked()).toBeLessThanOrEqual(1 + 3);
    }, 60_000);

    it('is read by a newer reader that gets the partition next, and that continues with later records', async () => {
      const ledger = await aLedger('newer-reader', client);
      await append(ledger, 0, 'one', 'v2', 'two');
      const old = aReaderTooOldFor('v2');
      const first = await read(ledger, old.options);
      await eventually('the old one stops', 10, () => Promise.resolve(old.stopped[0]));
      open.splice(open.indexOf(first), 1);
      await first.close();
      const { seen, stopped, options } = aReaderTooOldFor('v3');
      await read(ledger, { ...options, readPosition: () => Promise.resolve(1n) });
      await eventually('the new one is through', 10, () =>
        Promise.resolve(seen.includes('0: two') ? true : undefined),
      );
      expect(seen).toEqual(['0: v2', '0: two']);
      expect(stopped).toEqual([]);
    }, 60_000);
  });

  describe('a reader that takes long to find its start position', () => {
    const LONGER_THAN_A_SESSION_MS = 8000;

    it('stays a member of its group during the search, and then reads from its start position', async () => {
      const ledger = await aLedger('slow', client);
      await append(ledger, 0, 'one', 'two');
      const assignments: number[][] = [];
      const seen: string[] = [];
      await read(ledger, {
        onAssigned: (partitions) => void assignments.push(partitions),
        readPosition: async () => {
          await new Promise((resolve) => setTimeout(resolve, LONGER_THAN_A_SESSION_MS));
          return 1n;
        },
        onBatch: ({ records }) => {
          seen.push(...records.map(({ value }) => value?.toString() ?? ''));
          return Promise.resolve();
        },
      });
      await eventually('it reads', 30, () => Promise.resolve(seen[0]));
      expect(seen).toEqual(['two']);
      expect(assignments).toEqual([[0, 1]]);
    }, 60_000);
  });
});
