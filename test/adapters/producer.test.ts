import { describe, expect, it } from '@jest/globals';
import type { ICustomPartitioner, Kafka, PartitionMetadata, TopicMessages } from 'kafkajs';
import { connectProducer } from '../../services/adapters/kafka/producer.ts';

interface Batch {
  topicMessages: [TopicMessages];
  compression?: number;
}

/** kafkajs, where only these partitions answer. */
function kafkaAnswering(...answered: number[]): Kafka & { codecs: (number | undefined)[] } {
  const codecs: (number | undefined)[] = [];
  const partitionMetadata = [0, 1].map((partitionId) => ({ partitionId, leader: 1 }) as PartitionMetadata);
  const producer = ({ createPartitioner }: { createPartitioner: ICustomPartitioner }): unknown => {
    const choose = createPartitioner();
    return {
      connect: () => Promise.resolve(),
      sendBatch({ topicMessages: [{ topic, messages }], compression }: Batch) {
        codecs.push(compression);
        for (const message of messages) choose({ topic, partitionMetadata, message });
        return Promise.resolve(answered.map((partition) => ({ topicName: topic, partition })));
      },
    };
  };
  return { producer, codecs } as unknown as Kafka & { codecs: (number | undefined)[] };
}

const oneForEachPartition = [0, 1].map((partition) => ({ value: 'a record', partition }));

describe('a send to several partitions', () => {
  it('succeeds when all partitions have answered', async () => {
    const producer = await connectProducer(kafkaAnswering(0, 1));
    await expect(producer.send({ topic: 'ledger', messages: oneForEachPartition })).resolves.toBeUndefined();
  });

  it('fails when a response lacks a partition, because kafkajs omits a partition that moves to a broker that has answered', async () => {
    const producer = await connectProducer(kafkaAnswering(1));
    await expect(producer.send({ topic: 'ledger', messages: oneForEachPartition })).rejects.toThrow(
      'no acknowledgement for the partitions ledger 0',
    );
    await expect(
      producer.send({ topic: 'ledger', messages: oneForEachPartition.slice(1) }),
    ).resolves.toBeUndefined();
  });
});

describe('a topic to which an operator added partitions', () => {
  it('keeps each key in its old partition, because only the first partitions are used', async () => {
    const messages = Array.from({ length: 20 }, (_none, at) => ({ key: `job-${at}`, value: 'a record' }));
    const used = await connectProducer(kafkaAnswering(0), { topic: 'ledger', count: 1 });
    await expect(used.send({ topic: 'ledger', messages })).resolves.toBeUndefined();
    await expect(used.send({ topic: 'other', messages })).rejects.toThrow('no acknowledgement');
  });
});

describe('the compression of a produce request', () => {
  it.each([
    ['none', 1023, undefined],
    ['zstd', 1024, 4],
  ])('uses the algorithm %s for %d bytes', async (_name, bytes, codec) => {
    const kafka = kafkaAnswering(0);
    const producer = await connectProducer(kafka);
    await producer.send({ topic: 'ledger', messages: [{ value: 'x'.repeat(bytes), partition: 0 }] });
    expect(kafka.codecs).toEqual([codec]);
  });
});
