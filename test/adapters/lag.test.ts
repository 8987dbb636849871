import { describe, expect, it } from '@jest/globals';
import { createLag, type Lag } from '../../services/consumers/lag.ts';

/** Measures partition 0 at an instant in seconds. */
function look(lag: Lag, seconds: number, end: number, position: number): void {
  lag.addSample(seconds * 1000, new Map([[0, BigInt(end)]]), new Map([[0, BigInt(position)]]));
}

function behind(lag: Lag, seconds: number): { events: number; seconds: number } | undefined {
  const [only] = lag.partitionLags(seconds * 1000);
  return only === undefined ? undefined : { events: only.events, seconds: only.seconds };
}

describe('the lag of a reader', () => {
  it('is zero while the reader is at the end of the ledger, however long no event comes', () => {
    const lag = createLag();
    look(lag, 0, 10, 10);
    expect(behind(lag, 3600)).toEqual({ events: 0, seconds: 0 });
    look(lag, 3600, 11, 11);
    expect(behind(lag, 3600)).toEqual({ events: 0, seconds: 0 });
  });

  it('grows with time while the oldest event is unread', () => {
    const lag = createLag();
    look(lag, 0, 10, 10);
    look(lag, 5, 12, 10);
    look(lag, 10, 17, 10);
    expect(behind(lag, 11)).toEqual({ events: 7, seconds: 6 });
  });

  it('is the age of the oldest unread event, whatever events follow', () => {
    const lag = createLag();
    look(lag, 5, 12, 10);
    look(lag, 10, 17, 12);
    expect(behind(lag, 12)).toEqual({ events: 5, seconds: 2 });
    look(lag, 15, 17, 17);
    expect(behind(lag, 15)).toEqual({ events: 0, seconds: 0 });
  });

  it('does not grow while a reader keeps pace with the ledger but never reaches its end', () => {
    const lag = createLag();
    for (let second = 0; second <= 100; second += 5) look(lag, second, second * 10 + 100, second * 10);
    expect(behind(lag, 100)).toEqual({ events: 100, seconds: 5 });
  });

  it('is measured for each partition from its oldest unread event, however many events are unread', () => {
    const lag = createLag();
    for (let second = 0; second < 5000; second += 1) look(lag, second, second + 1, 0);
    lag.addSample(5_000_000, new Map([[3, 9n]]), new Map([[3, 9n]]));
    expect(lag.partitionLags(5_000_000)).toEqual([
      { partition: 0, events: 5000, seconds: 5000 },
      { partition: 3, events: 0, seconds: 0 },
    ]);
  });

  it('is the age of the whole ledger for a reader that has read nothing', () => {
    const lag = createLag();
    lag.addSample(0, new Map([[0, 4n]]), new Map());
    expect(behind(lag, 1)).toEqual({ events: 4, seconds: 1 });
  });
});
