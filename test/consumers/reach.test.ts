import { describe, expect, it } from '@jest/globals';
import type { KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { createRequireReach } from '../../services/consumers/reach.ts';

const soon = { signal: new AbortController().signal, betweenMs: 1 };

/** A ledger with one partition that ends at offset 120, or at others first. */
function aLedger(...first: number[]): { connection: KafkaConnection; requests: () => number } {
  let requests = 0;
  const admin = () => ({
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    fetchTopicOffsets: () => {
      requests += 1;
      return Promise.resolve([{ partition: 0, low: '0', high: String(first.shift() ?? 120) }]);
    },
  });
  const connection = {
    kafka: { admin },
    topics: { ledger: 'l' },
    config: { KAFKA_BROKERS: ['k:9092'] },
  } as unknown as KafkaConnection;
  return { connection, requests: () => requests };
}

describe('the recorded position of a reader', () => {
  it('is accepted up to the end of the partition, and partitions that are checked together cost one request', async () => {
    const { connection, requests } = aLedger();
    const requireReach = createRequireReach(connection, 'projector', soon);
    await Promise.all([requireReach(0, 120n), requireReach(0, 3n), requireReach(1, 0n)]);
    expect(requests()).toBe(1);
  });

  it('is accepted although it is beyond the end for a moment, as after a failover', async () => {
    const { connection, requests } = aLedger(100, 110);
    await createRequireReach(connection, 'projector', soon)(0, 115n);
    expect(requests()).toBe(3);
  });

  it('is refused when it stays beyond the end, with the remedy for this reader', async () => {
    const { connection } = aLedger();
    await expect(createRequireReach(connection, 'projector', soon)(0, 121n)).rejects.toThrow(
      'partition 0 of the ledger l ends at offset 120, but the projector has read up to 121: the ledger has lost its last records, for example because Kafka was restored from an old copy. Stop the projectors, empty the tables ("drop schema jobledger cascade"), and start one: it folds the ledger from its beginning (docs/backup-and-disaster.md)',
    );
    await expect(createRequireReach(connection, 'dispatcher', soon)(1, 1n)).rejects.toThrow(
      'partition 1 of the ledger l ends at offset 0, but the dispatcher has read up to 1: the ledger has lost its last records, for example because Kafka was restored from an old copy. Stop the dispatchers, run kafka-consumer-groups.sh --bootstrap-server k:9092 --group l.dispatcher --topic l --reset-offsets --to-latest --execute, and start them (docs/backup-and-disaster.md)',
    );
  });

  it('is not checked after the reader stops, because an unfinished check proves nothing about the ledger', async () => {
    const { connection, requests } = aLedger();
    const stopped = { signal: AbortSignal.abort(), betweenMs: 1 };
    await expect(createRequireReach(connection, 'projector', stopped)(0, 3n)).rejects.toThrow('aborted');
    expect(requests()).toBe(0);
  });
});
