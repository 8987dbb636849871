import { createTurns } from '../../services/adapters/waiting/turns.ts';

describe('a queue that limits concurrent calls to two', () => {
  it('runs at most two calls at a time, in their order, even after a failure', async () => {
    const inTurn = createTurns(2);
    const [begun, ends]: [number[], Map<number, (error?: Error) => void>] = [[], new Map()];
    const all = [0, 1, 2, 3].map((number) =>
      inTurn(
        () =>
          new Promise<number>((resolve, reject) => {
            begun.push(number);
            ends.set(number, (error) => (error === undefined ? resolve(number) : reject(error)));
          }),
      ),
    );
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    ends.get(1)?.(new Error('refused'));
    await expect(all[1]).rejects.toThrow('refused');
    expect(begun).toEqual([0, 1, 2]);
    for (const number of [0, 2]) ends.get(number)?.();
    await Promise.all([all[0], all[2]]);
    expect(begun).toEqual([0, 1, 2, 3]);
    ends.get(3)?.();
    expect(await all[3]).toBe(3);
  });

  it('runs every call, and never exceeds its limit', async () => {
    const inTurn = createTurns(2);
    let [running, most] = [0, 0];
    const work = async (result: number): Promise<number> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return result;
    };
    const results = await Promise.all([1, 2, 3, 4, 5].map((result) => inTurn(() => work(result))));
    expect(results).toEqual([1, 2, 3, 4, 5]);
    expect(most).toBe(2);
  });

  it('continues after a call that fails', async () => {
    const inTurn = createTurns(1);
    const failed = inTurn(() => Promise.reject(new Error('no')));
    const next = inTurn(() => Promise.resolve('yes'));
    await expect(failed).rejects.toThrow('no');
    await expect(next).resolves.toBe('yes');
  });
});
