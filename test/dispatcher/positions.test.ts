import { createPositions } from '../../services/dispatcher/positions.ts';

describe('the position of a partition', () => {
  it('never passes what is still to be sent, in whatever order it is sent', () => {
    const positions = createPositions();
    for (const offset of [3n, 4n, 5n]) positions.owe(0, offset);
    positions.read(0, 9n);
    expect(positions.movedSince()).toEqual([{ partition: 0, offset: 3n }]);
    positions.settle(0, 4n);
    expect(positions.movedSince()).toEqual([]);
    positions.settle(0, 3n);
    expect(positions.movedSince()).toEqual([{ partition: 0, offset: 5n }]);
    positions.settle(0, 5n);
    expect(positions.movedSince()).toEqual([{ partition: 0, offset: 9n }]);
  });

  it('is told once only, and forgotten with the partition', () => {
    const positions = createPositions();
    positions.read(1, 7n);
    expect(positions.movedSince()).toHaveLength(1);
    expect(positions.movedSince()).toEqual([]);
    positions.owe(1, 8n);
    positions.forget([1]);
    expect(positions.owed()).toBe(0);
    expect(positions.movedSince()).toEqual([]);
  });
});
