import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLinger } from '../../services/adapters/kafka/linger.ts';

const { signal } = new AbortController();

/** How long a call waits, in milliseconds. */
async function waited(linger: ReturnType<typeof createLinger>): Promise<number> {
  const begin = performance.now();
  const over = linger(signal);
  await jest.runAllTimersAsync();
  await over;
  return performance.now() - begin;
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('a reader with a linger time', () => {
  it('handles the first record at once, and also a record that comes long after its predecessor', async () => {
    const linger = createLinger(40);
    expect(await waited(linger)).toBe(0);
    jest.advanceTimersByTime(100);
    expect(await waited(linger)).toBe(0);
  });

  it('waits before a record only while records arrive in quick succession', async () => {
    const linger = createLinger(40);
    await linger(signal);
    for (let fetch = 0; fetch < 3; fetch += 1) {
      jest.advanceTimersByTime(10);
      expect(await waited(linger)).toBe(40);
    }
    jest.advanceTimersByTime(80);
    expect(await waited(linger)).toBe(0);
  });

  it('handles each record at once when the linger time is zero', async () => {
    const linger = createLinger(0);
    expect(await waited(linger)).toBe(0);
    expect(await waited(linger)).toBe(0);
  });
});
