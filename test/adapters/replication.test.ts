import { describe, expect, it } from '@jest/globals';
import { limitsAdvice } from '../../services/adapters/kafka/broker-limits.ts';
import {
  replicationFault,
  chooseReplication,
  type Brokers,
} from '../../services/adapters/kafka/replication.ts';

function brokers(ids: readonly number[], configured = -1): Brokers {
  return { ids, configured, addresses: ['k:9092'] };
}

function topic(...replicas: number[][]): Parameters<typeof replicationFault>[0] {
  return {
    topic: 'l',
    partitions: replicas.map((each, partitionId) => ({ partitionId, replicas: each })),
  };
}

describe('a new topic', () => {
  it.each([
    [[1], -1, -1],
    [[1, 2], -1, 2],
    [[1, 2, 3], -1, 3],
    [[1, 2, 3, 4, 5], -1, 3],
    [[1, 2, 3, 4, 5], 1, 1],
    [[1], 3, 3],
  ])(
    'gets, on the brokers %j with the configured replication %i, the replication factor %i',
    (ids, configured, replication) => {
      expect(chooseReplication({ ids, configured })).toBe(replication);
    },
  );
});

describe('an existing topic', () => {
  it('counts as well replicated when each partition has two replicas', () => {
    expect(replicationFault(topic([1, 2], [2, 3]), brokers([1, 2, 3]))).toBeNull();
  });

  it('is not reported when it has one replica on a single broker, where a second replica is impossible', () => {
    expect(replicationFault(topic([1], [1]), brokers([1]))).toBeNull();
  });

  it('is reported, but not as likely to lose events, when it is on a single broker and the operator configures more replicas than there are brokers', () => {
    expect(replicationFault(topic([1]), brokers([1], 3))?.isLoss).toBe(false);
  });

  it('is not reported when it has one replica and the operator configured one', () => {
    expect(replicationFault(topic([1], [2]), brokers([1, 2, 3], 1))).toBeNull();
  });

  it('is reported as likely to lose events when a partition has one replica, and the suggested plan of replicas keeps that replica', () => {
    const fault = replicationFault(topic([1, 2], [3], [3]), brokers([1, 2, 3]));
    expect(fault?.isLoss).toBe(true);
    expect(JSON.parse(/\{"version".*\]\}/.exec(fault?.advice ?? '')?.[0] ?? '')).toEqual({
      version: 1,
      partitions: [
        { topic: 'l', partition: 1, replicas: [3, 2, 1] },
        { topic: 'l', partition: 2, replicas: [3, 1, 2] },
      ],
    });
  });

  it('is reported, although no events are lost, when it has fewer replicas than the operator configured', () => {
    const fault = replicationFault(topic([1, 2]), brokers([1, 2, 3], 3));
    expect(fault).toEqual({
      isLoss: false,
      advice:
        'the topic l: 1 partition has fewer than 3 replicas; run kafka-reassign-partitions.sh --bootstrap-server k:9092 --reassignment-json-file FILE --execute, where FILE contains {"version":1,"partitions":[{"topic":"l","partition":0,"replicas":[1,2,3]}]}; or, if this is intended, set JOBLEDGER_LEDGER_REPLICATION=2',
    });
  });
});

describe('the size limits of brokers', () => {
  const enough = { 'message.max.bytes': '4194304', 'socket.request.max.bytes': '104857600' };

  it('are sufficient at the size of the largest record, and a broker that does not report its limit counts as sufficient', () => {
    expect(limitsAdvice(new Map([[1, new Map(Object.entries(enough))]]), ['k:9092'])).toBeNull();
  });

  it('are reported with their brokers and the remedy when they are below the size of the largest record', () => {
    const low = new Map(Object.entries({ ...enough, 'message.max.bytes': '1048588' }));
    const fixed = new Map(Object.entries({ ...enough, 'replica.fetch.max.bytes': '1048576' }));
    expect(
      limitsAdvice(
        new Map([
          [1, low],
          [2, low],
          [3, fixed],
        ]),
        ['k:9092'],
      ),
    ).toBe(
      'message.max.bytes is 1048588 on the brokers 1, 2, wanted 4194304 (topics without a max.message.bytes of their own refuse a large Job or decision); replica.fetch.max.bytes is 1048576 on the broker 3, wanted 4194304 (replicas copy such records one at a time); run kafka-configs.sh --bootstrap-server k:9092 --alter --entity-type brokers --entity-default --add-config message.max.bytes=4194304; set replica.fetch.max.bytes=4194304 in server.properties and restart the brokers',
    );
  });
});
