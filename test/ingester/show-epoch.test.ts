import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Epoch } from '../../services/live-topic/epoch.ts';
import { createEpochDisplay } from '../../services/ingester/terms/show-epoch.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const FIRST: Epoch = {
  epoch: 1,
  from: '900',
  to: '400',
  since: '2026-03-01T12:00:00.000Z',
  until: '2026-03-01T12:05:00.000Z',
};

/** Kafka, which refuses the first records. */
function kafkaAfter(failures: number) {
  const records: number[] = [];
  const errors: number[] = [];
  let left = failures;
  const onEpoch = createEpochDisplay({
    shown: () => records.at(-1) ?? 0,
    show({ epoch }) {
      left -= 1;
      if (left >= 0) return Promise.reject(new Error('no leader'));
      records.push(epoch);
      return Promise.resolve();
    },
    onFailedAttempt: (_error, count) => void errors.push(count),
  });
  return { records, errors, onEpoch };
}

describe('the epoch of a cluster', () => {
  it('is published to workers, with retries, until Kafka has recorded it, and is not published a second time', async () => {
    const { records, errors, onEpoch } = kafkaAfter(3);
    onEpoch(FIRST, new AbortController().signal);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(records).toEqual([1]);
    expect(errors).toEqual([1, 2, 3]);
    onEpoch(FIRST, new AbortController().signal);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(records).toEqual([1]);
  });

  it('is not published by an ingester without the Lease, because another ingester may follow a later epoch', async () => {
    const { records, onEpoch } = kafkaAfter(1);
    const term = new AbortController();
    onEpoch(FIRST, term.signal);
    await jest.advanceTimersByTimeAsync(0);
    term.abort();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(records).toEqual([]);
  });
});
