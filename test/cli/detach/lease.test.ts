import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { leaseHolder } from '../../../services/adapters/kubernetes/lease-holder.ts';
import { holdLease } from '../../../cli/verbs/detach/hold-lease.ts';
import { aPlayedLease, refused } from './a-played-lease.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('the holder of a Lease', () => {
  it('is unknown when the Lease does not exist or was given up', async () => {
    expect(await leaseHolder(aPlayedLease(null).lease)).toBeNull();
    expect(await leaseHolder(aPlayedLease('').lease)).toBeNull();
  });

  it('is the process that renews the Lease', async () => {
    const played = aPlayedLease('ingester-1');
    const holder = leaseHolder(played.lease);
    await jest.advanceTimersByTimeAsync(1000);
    played.renew('ingester-1');
    await jest.advanceTimersByTimeAsync(500);
    expect(await holder).toBe('ingester-1');
  });

  it('is unknown when the process gives up the Lease, or does not renew the Lease within its duration', async () => {
    const [freed, dead] = [aPlayedLease('ingester-1'), aPlayedLease('ingester-1')];
    const holders = [leaseHolder(freed.lease), leaseHolder(dead.lease)];
    await jest.advanceTimersByTimeAsync(1000);
    freed.free();
    await jest.advanceTimersByTimeAsync(4500);
    expect(await Promise.all(holders)).toEqual([null, null]);
  });
});

describe('a verb that works only with the Lease', () => {
  const hold = (played: ReturnType<typeof aPlayedLease>, work: () => Promise<string>): Promise<string> =>
    holdLease({ ...played.lease, identity: 'detach' }, work);

  it('runs its work once, and gives up the Lease', async () => {
    const played = aPlayedLease(null);
    let runs = 0;
    const held = hold(played, () => {
      runs += 1;
      return Promise.resolve('done');
    });
    await jest.advanceTimersByTimeAsync(1000);
    expect(await held).toBe('done');
    expect([runs, played.holders]).toEqual([1, ['detach', '']]);
  });

  it('throws the error of its work after one attempt, and gives up the Lease', async () => {
    const played = aPlayedLease('');
    const held = hold(played, () => Promise.reject(new Error('the API server is gone'))).catch(String);
    await jest.advanceTimersByTimeAsync(1000);
    expect(await held).toBe('Error: the API server is gone');
    expect(played.holders).toEqual(['detach', '']);
  });

  it('takes the Lease of a process that has ended', async () => {
    const played = aPlayedLease('killed');
    const held = hold(played, () => Promise.resolve('done'));
    await jest.advanceTimersByTimeAsync(7000);
    expect(await held).toBe('done');
  });

  it('fails while another process renews the Lease, and without the right to write the Lease', async () => {
    const living = aPlayedLease('ingester-1');
    const held = hold(living, () => Promise.resolve('done')).catch(String);
    for (let second = 0; second < 10; second += 1) {
      await jest.advanceTimersByTimeAsync(1000);
      living.renew('ingester-1');
    }
    expect(await held).toMatch(/ingester-1 has taken the Lease jobledger\/lease: nothing was changed/);
    const forbidden = hold(aPlayedLease(null, refused(403, 'Forbidden')), () => Promise.resolve('done'));
    const error = forbidden.catch(String);
    await jest.advanceTimersByTimeAsync(1000);
    expect(await error).toMatch(/the Lease in the namespace jobledger cannot be acquired: Forbidden/);
  });
});
