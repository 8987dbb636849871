import { beforeEach, describe, expect, it } from '@jest/globals';
import { createSilence } from '../../services/ingester/terms/silence.ts';

let now = 0;
let recorded: (number | null)[] = [];
let isRefused = false;
let isAllowed = true;

function aSilence(): (answers: boolean) => Promise<void> {
  const silence = createSilence({
    isAllowed: () => isAllowed,
    record: (since) => {
      if (isRefused) return Promise.reject(new Error('Kafka is away'));
      recorded.push(since);
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
  [now, recorded, isRefused, isAllowed] = [0, [], false, true];
});

describe('a cluster that does not answer its ingester (J-16.13)', () => {
  it('is recorded after 10 s, with the time of the first request without an answer, and when it answers again', async () => {
    const hears = aSilence();
    await hears(true);
    expect(recorded).toEqual([null]);
    for (now = 1000; now <= 10_000; now += 1000) await hears(false);
    expect(recorded).toEqual([null]);
    for (; now <= 20_000; now += 1000) await hears(false);
    expect(recorded).toEqual([null, 1000]);
    await hears(true);
    expect(recorded).toEqual([null, 1000, null]);
  });

  it('is not recorded for a moment without answers', async () => {
    const hears = aSilence();
    await hears(true);
    now = 5000;
    await hears(false);
    now = 14_999;
    await hears(true);
    now = 15_001;
    await hears(false);
    expect(recorded).toEqual([null]);
  });

  it('is recorded again when the record failed, and not below the feature level', async () => {
    const hears = aSilence();
    isAllowed = false;
    await hears(true);
    [isAllowed, isRefused] = [true, true];
    await hears(true);
    expect(recorded).toEqual([]);
    isRefused = false;
    await hears(true);
    await hears(true);
    expect(recorded).toEqual([null]);
  });
});
