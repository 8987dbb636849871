import { createTurns } from '../../services/ingester/list-turns.ts';

describe('lists that take turns', () => {
  it('run at most so many at a time, in the order of the calls, also after a failure', async () => {
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
});
