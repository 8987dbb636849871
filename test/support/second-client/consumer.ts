import { EventEmitter } from 'node:events';
import { Consumer, type BaseOptions } from '@platformatic/kafka';
import type { ConsumerConfig, ConsumerRunConfig, EachBatchPayload, TopicPartitions } from 'kafkajs';
import type { UsedConsumer } from '../../../services/adapters/kafka/client-library.ts';
import { pause } from '../../../services/adapters/waiting/pause.ts';
import { asKafkajs, likeKafkajs } from './errors.ts';
import { createFetcher, type Fetched } from './fetch.ts';
import { createPositions } from './positions.ts';

const EVENTS = { FETCH: 'fetch', GROUP_JOIN: 'group-join', CRASH: 'crash' };

/** Between two attempts, and while no partition may be read. */
const PAUSE_MS = 100;

/** The name of the protocol of kafkajs: members of both libraries can then be in one group. */
const PROTOCOLS = [{ name: 'RoundRobinAssigner', version: 1 }];

/** A consumer of one topic. Until its owner seeks, it reads nothing of a partition. */
export function secondConsumer(options: BaseOptions, config: ConsumerConfig): UsedConsumer {
  const { groupId, sessionTimeout = 30_000, rebalanceTimeout = 60_000, heartbeatInterval = 3000 } = config;
  const group = { sessionTimeout, rebalanceTimeout, heartbeatInterval, protocols: PROTOCOLS };
  const consumer = new Consumer({
    ...options,
    ...(config.rackId !== undefined && { clientRack: config.rackId }),
    groupId,
    // With retries, a commit that is refused during a rebalance joins again and repeats the offsets of the old assignment.
    retries: 0,
    maxWaitTime: config.maxWaitTimeInMs ?? 250,
  });
  const events = new EventEmitter();
  const closed = new AbortController();
  const positions = createPositions();
  let topic = '';
  let reading: Promise<void> | null = null;

  consumer.on('consumer:group:join', ({ assignments = [] }) => {
    const partitions = assignments.find((each) => each.topic === topic)?.partitions ?? [];
    positions.assign(partitions);
    events.emit(EVENTS.GROUP_JOIN, { payload: { memberAssignment: { [topic]: partitions } } });
  });
  const join = async (): Promise<void> => {
    for (;;) {
      if (closed.signal.aborted) return;
      try {
        await consumer.joinGroup({ ...group });
        return;
      } catch (error) {
        events.emit(EVENTS.CRASH, { payload: { error: likeKafkajs(error), restart: true } });
        await pause(PAUSE_MS, closed.signal);
      }
    }
  };
  // A heartbeat was refused, and so was the attempt to join again.
  consumer.on('error', () => void join());

  const read = async (run: ConsumerRunConfig): Promise<void> => {
    const fetch = createFetcher(consumer, topic, {
      maxBytes: config.maxBytesPerPartition ?? 1024 * 1024,
      startOver: positions.seek,
    });
    while (!closed.signal.aborted) {
      const wanted = positions.readable();
      const fetched = wanted.size === 0 ? [] : await fetch(wanted).catch(forgetLeaders);
      if (fetched.length > 0) events.emit(EVENTS.FETCH);
      const pass = (each: Fetched): Promise<void> => deliver(run, each);
      if ((run.partitionsConsumedConcurrently ?? 1) > 1) await Promise.all(fetched.map(pass));
      else for (const each of fetched) await pass(each);
      if (fetched.length === 0) await pause(PAUSE_MS, closed.signal);
    }
  };
  const forgetLeaders = (): [] => {
    consumer.clearMetadata();
    return [];
  };
  /** A batch that fails is fetched again. */
  const deliver = async ({ eachBatch }: ConsumerRunConfig, fetched: Fetched): Promise<void> => {
    const mark = positions.mark(fetched.partition);
    if (mark === null || closed.signal.aborted) return;
    const payload = {
      batch: {
        topic,
        partition: fetched.partition,
        messages: fetched.messages,
        highWatermark: String(fetched.end),
        lastOffset: () => String(fetched.last),
      },
      heartbeat: () => Promise.resolve(),
      isRunning: () => !closed.signal.aborted,
      isStale: () => !mark.isCurrent(),
      resolveOffset: (offset: string) => mark.advance(BigInt(offset) + 1n),
      commitOffsetsIfNecessary: commit,
    } as unknown as EachBatchPayload;
    await eachBatch?.(payload).catch(() => pause(PAUSE_MS, closed.signal));
  };
  const commit: EachBatchPayload['commitOffsetsIfNecessary'] = async (all) => {
    const offsets = (all?.topics ?? []).flatMap(({ topic: name, partitions }) =>
      partitions.map(({ partition, offset }) => ({
        topic: name,
        partition,
        offset: BigInt(offset),
        leaderEpoch: -1,
      })),
    );
    await asKafkajs(consumer.commit({ offsets }));
  };
  const listPartitions = (all: readonly { partitions?: number[] }[]): number[] =>
    all.flatMap(({ partitions = [] }) => partitions);
  return {
    events: EVENTS as unknown as UsedConsumer['events'],
    on: ((event: string, listener: (...given: unknown[]) => void) => {
      events.on(event, listener);
      return () => events.off(event, listener);
    }) as UsedConsumer['on'],
    connect: () => asKafkajs(consumer.metadata({ topics: [] }).then(() => undefined)),
    subscribe: (wanted) => {
      if ('topic' in wanted) topic = String(wanted.topic);
      consumer.topics.track(topic);
      return Promise.resolve();
    },
    async run(wanted = {}) {
      await join();
      reading ??= read(wanted);
    },
    pause: (all) => positions.pause(listPartitions(all)),
    resume: (all: TopicPartitions[]) => positions.resume(listPartitions(all)),
    seek: ({ partition, offset }) => positions.seek(partition, BigInt(offset)),
    async stop() {
      closed.abort();
      await reading;
    },
    disconnect: () => consumer.close(true),
  };
}
