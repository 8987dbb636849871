import { createPool } from './pool.ts';

describe('a pool', () => {
  it('never runs more at once than it may, and runs everything', async () => {
    const pool = createPool(2);
    let [running, most] = [0, 0];
    const work = async (result: number): Promise<number> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return result;
    };
    const results = await Promise.all([1, 2, 3, 4, 5].map((result) => pool(() => work(result))));
    expect(results).toEqual([1, 2, 3, 4, 5]);
    expect(most).toBe(2);
  });

  it('goes on after a failure', async () => {
    const pool = createPool(1);
    const failed = pool(() => Promise.reject(new Error('no')));
    const next = pool(() => Promise.resolve('yes'));
    await expect(failed).rejects.toThrow('no');
    await expect(next).resolves.toBe('yes');
  });
});
