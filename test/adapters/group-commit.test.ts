import { describe, expect, it } from '@jest/globals';
import type { TopicMessages } from 'kafkajs';
import { createAppender, type Appender } from '../../services/adapters/kafka/append.ts';
import type { KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { eventually } from '../support/eventually.ts';

interface Request {
  /** `topic: values`, by topic. */
  content: string[];
  acknowledge(): void;
  fail(): void;
}

/** An appender on a Kafka that answers when the test says so, and the requests that it got. */
async function anAppender(): Promise<{ appender: Appender; requests: Request[]; producers: () => number }> {
  const requests: Request[] = [];
  let producers = 0;
  const producer = (): unknown => {
    producers += 1;
    return {
      connect: () => Promise.resolve(),
      disconnect: () => Promise.resolve(),
      sendBatch: ({ topicMessages }: { topicMessages: TopicMessages[] }) =>
        new Promise((resolve, reject) => {
          requests.push({
            content: topicMessages.map(
              ({ topic, messages }) => `${topic}: ${messages.map(({ value }) => String(value)).join(' ')}`,
            ),
            acknowledge: () => resolve([]),
            fail: () => reject(new Error('the broker is gone')),
          });
        }),
    };
  };
  const kafka = { producer } as unknown as KafkaConnection['kafka'];
  const topics = { ledger: 'ledger' } as KafkaConnection['topics'];
  const config = { JOBLEDGER_LEDGER_PARTITIONS: 8 } as KafkaConnection['config'];
  const appender = await createAppender({ kafka, topics, config } as KafkaConnection);
  return { appender, requests, producers: () => producers };
}

/** Lets everything happen that waits for nothing outside. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('appends during a request to Kafka', () => {
  it('share the next request, which has them in order for each topic', async () => {
    const { appender, requests } = await anAppender();
    const done: string[] = [];
    const write = (topic: string, value: string): Promise<unknown> =>
      appender.write(topic, [{ value }]).then(() => done.push(value));
    const all = [write('a', '1'), write('a', '2'), write('b', '3'), write('a', '4')];
    await turn();
    expect(requests.map(({ content }) => content)).toEqual([['a: 1']]);
    requests[0]?.acknowledge();
    await turn();
    expect(done).toEqual(['1']);
    expect(requests[1]?.content).toEqual(['a: 2 4', 'b: 3']);
    requests[1]?.acknowledge();
    await Promise.all(all);
    expect(done).toEqual(['1', '2', '3', '4']);
    expect(requests).toHaveLength(2);
  });

  it('wait briefly for each other when requests have followed each other quickly, and then share a request', async () => {
    const { appender, requests } = await anAppender();
    const written: Promise<void>[] = [];
    for (const value of ['1', '2']) {
      written.push(appender.write('a', [{ value }]));
      await turn();
      requests.at(-1)?.acknowledge();
      await turn();
    }
    for (const value of ['3', '4']) {
      written.push(appender.write('a', [{ value }]));
      await turn();
    }
    const third = await eventually('a third request', 5, async () => requests[2]);
    expect(requests.map(({ content }) => content)).toEqual([['a: 1'], ['a: 2'], ['a: 3 4']]);
    third.acknowledge();
    await Promise.all(written);
  });

  it('fail when their shared request fails, and later appends use a new producer', async () => {
    const { appender, requests, producers } = await anAppender();
    const first = appender.write('a', [{ value: '1' }]);
    const waiting = [appender.write('a', [{ value: '2' }]), appender.write('a', [{ value: '3' }])];
    await turn();
    requests[0]?.acknowledge();
    await first;
    await turn();
    requests[1]?.fail();
    const results = await Promise.allSettled(waiting);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const later = appender.write('a', [{ value: '4' }]);
    await eventually('a third request', 5, async () => requests[2]);
    expect(requests[2]?.content).toEqual(['a: 4']);
    requests[2]?.acknowledge();
    await later;
    expect(producers()).toBe(2);
  });

  it('are refused when the check before the next request no longer permits them, and the other appends are sent', async () => {
    const { appender, requests } = await anAppender();
    let isLeader = true;
    const permit = (): void => {
      if (!isLeader) throw new Error('another one leads');
    };
    const first = appender.write('a', [{ value: '1' }]);
    const refused = appender.write('a', [{ value: '2' }], permit);
    const allowed = appender.write('a', [{ value: '3' }]);
    await turn();
    isLeader = false;
    requests[0]?.acknowledge();
    await expect(refused).rejects.toThrow('Kafka did not accept records for a');
    await turn();
    expect(requests[1]?.content).toEqual(['a: 3']);
    requests[1]?.acknowledge();
    await Promise.all([first, allowed]);
  });

  it('are split into several requests when one request would be too large', async () => {
    const { appender, requests } = await anAppender();
    const large = 'a'.repeat(600 * 1024);
    const all = ['1', large, large].map((value) => appender.write('a', [{ value }]));
    for (let request = 0; request < 3; request += 1) {
      await turn();
      expect(requests).toHaveLength(request + 1);
      requests[request]?.acknowledge();
    }
    await Promise.all(all);
  });
});
