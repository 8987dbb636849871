import { describe, expect, it } from '@jest/globals';
import { InputError, UnavailableError } from '../../services/adapters/errors.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { backoffMs, logFailures, retry, retryUntilAvailable } from '../../services/adapters/waiting/retry.ts';

/** Fails with these errors, one after the other, then answers. */
function after(...errors: Error[]): { asked: () => number; ask: () => Promise<string> } {
  let asked = 0;
  const ask = (): Promise<string> => {
    asked += 1;
    const error = errors[asked - 1];
    return error === undefined ? Promise.resolve('here') : Promise.reject(error);
  };
  return { asked: () => asked, ask };
}

const away = new UnavailableError('this server is not the leader for that topic-partition');
const backoff = { firstMs: 1, longestMs: 2 };
const { signal } = new AbortController();

describe('a failing call under the retry policy', () => {
  it('is repeated until it succeeds, and each failure is reported with its number', async () => {
    const { ask, asked } = after(away, away);
    const failures: unknown[] = [];
    const onFailedAttempt = (error: unknown, count: number): void => void failures.push([error, count]);
    await expect(retry(ask, { signal, backoff, onFailedAttempt })).resolves.toBe('here');
    expect(asked()).toBe(3);
    expect(failures).toEqual([
      [away, 1],
      [away, 2],
    ]);
  });

  it('is not repeated when its input is invalid', async () => {
    const { ask, asked } = after(new InputError('no such topic'));
    await expect(retry(ask, { signal, backoff })).rejects.toThrow('no such topic');
    expect(asked()).toBe(1);
  });

  it('is not repeated when the caller says that a retry cannot help', async () => {
    const { ask, asked } = after(away);
    await expect(retry(ask, { signal, backoff, shouldRetry: () => false })).rejects.toBe(away);
    expect(asked()).toBe(1);
  });

  it('is not repeated when the report of its failure throws', async () => {
    const { ask, asked } = after(away);
    const onFailedAttempt = (): Promise<void> => Promise.reject(new Error('no longer a member'));
    await expect(retry(ask, { signal, backoff, onFailedAttempt })).rejects.toThrow('no longer a member');
    expect(asked()).toBe(1);
  });

  it('counts its failures from zero after a reset', async () => {
    const counts: number[] = [];
    let asked = 0;
    const ask = (reset: () => void): Promise<void> => {
      asked += 1;
      if (asked === 3) reset();
      return asked < 5 ? Promise.reject(away) : Promise.resolve();
    };
    await retry(ask, { signal, backoff, onFailedAttempt: (_, count) => void counts.push(count) });
    expect(counts).toEqual([1, 2, 1, 2]);
  });
});

describe('a stop of the retry policy', () => {
  it('does not prevent the first attempt, whose error is thrown', async () => {
    const { ask, asked } = after(away);
    await expect(retry(ask, { signal: AbortSignal.abort(), backoff })).rejects.toBe(away);
    expect(asked()).toBe(1);
  });

  it('ends a wait at once, and the error of the last attempt is thrown', async () => {
    const stop = new AbortController();
    const { ask, asked } = after(away);
    const retried = retry(ask, {
      signal: stop.signal,
      backoff: { firstMs: 3_600_000, longestMs: 3_600_000 },
      onFailedAttempt: () => void setImmediate(() => stop.abort()),
    });
    await expect(retried).rejects.toBe(away);
    expect(asked()).toBe(1);
  });

  it('keeps the result of an attempt that succeeds', async () => {
    const stop = new AbortController();
    const ask = (): Promise<string> => {
      stop.abort();
      return Promise.resolve('a connection to close');
    };
    await expect(retry(ask, { signal: stop.signal })).resolves.toBe('a connection to close');
  });
});

describe('the wait of the retry policy between two attempts', () => {
  it.each([
    [1, 100, 200],
    [2, 200, 400],
    [3, 400, 800],
    [4, 800, 1600],
    [5, 1000, 2000],
    [10_000, 1000, 2000],
  ])(
    'grows with the number of failures: after %d failures, the wait lasts from %d to %d ms',
    (failures, least, most) => {
      const waits = Array.from({ length: 200 }, () => backoffMs(failures));
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(least);
      expect(Math.max(...waits)).toBeLessThanOrEqual(most);
      expect(new Set(waits).size).toBeGreaterThan(100);
    },
  );

  it('can depend on the error of the last attempt', async () => {
    const { ask } = after(away);
    const errors: unknown[] = [];
    const chosen = (error: unknown): typeof backoff => {
      errors.push(error);
      return backoff;
    };
    await retry(ask, { signal, backoff: chosen });
    expect(errors).toEqual([away]);
  });
});

describe('a server that does not answer', () => {
  it('is logged as a warning at the first failure and then at every tenth', async () => {
    const lines: unknown[] = [];
    const log = silentLog();
    log.warn = (context: object) => void lines.push(context);
    const onFailure = logFailures(log, 'cannot append', { cluster: 'east' });
    for (let failures = 1; failures <= 21; failures += 1)
      onFailure(new Error(`failure ${failures}`), failures);
    expect(lines).toEqual([
      { cluster: 'east', error: 'failure 1' },
      { cluster: 'east', error: 'failure 11' },
      { cluster: 'east', error: 'failure 21' },
    ]);
  });

  it('is named in the log', async () => {
    const lines: unknown[] = [];
    const log = silentLog();
    log.warn = (...line: unknown[]) => void lines.push(line[1]);
    await retryUntilAvailable('Temporal', { log, signal }, after(away).ask);
    expect(lines).toEqual(['Temporal does not answer; waiting for it']);
  });
});
