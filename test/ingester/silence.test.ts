import { beforeEach, describe, expect, it } from '@jest/globals';
import { createSilenceRecorder } from '../../services/ingester/terms/silence.ts';

let now = 0;
/** What all ingesters of the cluster read. */
let shared: number | null = null;
let writes: (number | null)[] = [];
let isRefused = false;

function anIngester(): (answers: boolean) => Promise<void> {
  const silence = createSilenceRecorder({
    recorded: () => shared,
    record: (since) => {
      if (isRefused) return Promise.reject(new Error('Kafka is away'));
      shared = since;
      writes.push(since);
      return Promise.resolve();
    },
    onFailed: () => undefined,
    now: () => now,
  });
  return async (answers) => {
    silence(answers);
    await new Promise(setImmediate);
  };
}

beforeEach(() => {
  [now, shared, writes, isRefused] = [0, null, [], false];
});

describe('a cluster that does not answer its ingester (J-16.13)', () => {
  it('is recorded as silent after 10 s, with the time of the first request without an answer, and is recorded when it answers again', async () => {
    const hears = anIngester();
    await hears(true);
    for (now = 1000; now <= 10_000; now += 1000) await hears(false);
    expect(writes).toEqual([]);
    for (; now <= 20_000; now += 1000) await hears(false);
    expect(writes).toEqual([1000]);
    await hears(true);
    await hears(true);
    expect(writes).toEqual([1000, null]);
  });

  it('is not recorded as silent after a moment without answers', async () => {
    const hears = anIngester();
    await hears(true);
    now = 5000;
    await hears(false);
    now = 14_999;
    await hears(true);
    now = 15_001;
    await hears(false);
    expect(writes).toEqual([]);
  });

  it('is recorded as answering when an earlier process recorded it as silent', async () => {
    shared = 500;
    await anIngester()(true);
    expect(writes).toEqual([null]);
  });

  it('is recorded as silent once by an ingester that cannot reach it, and as answering by an ingester that can reach it', async () => {
    const [alone, leader] = [anIngester(), anIngester()];
    for (now = 0; now <= 120_000; now += 1000) {
      await alone(false);
      await leader(true);
    }
    expect(writes).toEqual([0, null]);
    await alone(true);
    for (; now <= 140_000; now += 1000) await alone(false);
    expect(writes).toEqual([0, null, 121_000]);
  });

  it('is recorded again when the first record failed', async () => {
    const hears = anIngester();
    isRefused = true;
    for (now = 0; now <= 12_000; now += 1000) await hears(false);
    expect(writes).toEqual([]);
    isRefused = false;
    await hears(false);
    await hears(false);
    expect(writes).toEqual([0]);
  });
});
