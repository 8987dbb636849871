import { describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';
import type { KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { readEnds, readExtents } from '../../services/adapters/kafka/scan.ts';

/** A topic with one partition of records 3 to 119. The first requests fail with these protocol errors. */
function aTopic(...failures: string[]): {
  connection: KafkaConnection;
  requests: () => number;
  open: () => number;
} {
  let requests = 0;
  let open = 0;
  const admin = () => ({
    connect: () => Promise.resolve(void (open += 1)),
    disconnect: () => Promise.resolve(void (open -= 1)),
    fetchTopicOffsets: () => {
      requests += 1;
      const type = failures.shift();
      if (type === undefined) return Promise.resolve([{ partition: 0, low: '3', high: '120' }]);
      const error = { name: type, type, code: 1, retriable: true, message: type };
      return Promise.reject(new kafkajs.KafkaJSProtocolError(error));
    },
  });
  const connection = { kafka: { admin } } as unknown as KafkaConnection;
  return { connection, requests: () => requests, open: () => open };
}

describe('the offsets of a topic', () => {
  it.each(['NOT_LEADER_FOR_PARTITION', 'LEADER_NOT_AVAILABLE'])(
    'are requested again while a partition has no leader, which Kafka reports as %s',
    async (type) => {
      const { connection, requests, open } = aTopic(type, type);
      expect(await readExtents(connection, 't')).toEqual(new Map([[0, { first: 3n, end: 120n }]]));
      expect({ requests: requests(), open: open() }).toEqual({ requests: 3, open: 0 });
    },
  );

  it('are not requested again when Kafka forbids the request, and the error is thrown with its cause', async () => {
    const { connection, requests, open } = aTopic('TOPIC_AUTHORIZATION_FAILED');
    await expect(readEnds(connection, 't')).rejects.toMatchObject({
      message: 'Kafka does not return the offsets of the topic t',
      cause: { type: 'TOPIC_AUTHORIZATION_FAILED' },
    });
    expect({ requests: requests(), open: open() }).toEqual({ requests: 1, open: 0 });
  });
});
