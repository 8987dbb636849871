import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Kafka } from 'kafkajs';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { createLazyAppender } from '../../services/adapters/kafka/lazy-appender.ts';
import { readBetween } from '../../services/adapters/kafka/scan.ts';
import { silentLog } from '../../services/adapters/process/log.ts';

const never = (): Promise<never> => new Promise(() => undefined);

/** kafkajs, whose clients never come to an end of their start. */
function hungKafka(): Kafka {
  const client = { connect: never, disconnect: never, on: () => undefined, events: {} };
  return { consumer: () => client, admin: () => client, producer: () => client } as unknown as Kafka;
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('a reader whose first request gets no response', () => {
  it('fails at the time limit of its connection, and the error names the topic', async () => {
    const config = readConfig(kafkaEnvironment, { KAFKA_BROKERS: '127.0.0.1:9' });
    const connection = { ...connectKafka(config, silentLog()), kafka: hungKafka(), readLimitMs: 10_000 };
    let ended = 'not ended';
    const range = { from: new Map<number, bigint>(), to: new Map([[0, 1n]]) };
    readBetween(connection, 'features', range, () => Promise.resolve()).catch((error: unknown) => {
      ended = String(error);
    });
    await jest.advanceTimersByTimeAsync(40_000);
    expect(ended).toContain('Kafka has returned no record of the topic features for');
  });
});

describe('an appender whose connection gets no response', () => {
  it('rejects the append within 12 s, and can then be closed within 12 s', async () => {
    const config = readConfig(kafkaEnvironment, { KAFKA_BROKERS: '127.0.0.1:9' });
    const connection = { ...connectKafka(config, silentLog()), kafka: hungKafka() };
    const { append, close } = createLazyAppender(connection, () => Promise.resolve());
    const ended: string[] = [];
    append([]).catch((error: unknown) => ended.push(String(error)));
    await jest.advanceTimersByTimeAsync(12_000);
    expect(ended).toEqual(['UnavailableError: Kafka does not accept the request']);
    void close().then(() => ended.push('closed'));
    await jest.advanceTimersByTimeAsync(12_000);
    expect(ended).toContain('closed');
  });
});
