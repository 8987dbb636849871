import { describe, expect, it } from '@jest/globals';
import { jsonChanges, type JsonChange } from '../../workflows/history/json-changes.ts';

describe('the changes between two JSON values', () => {
  it.each<{ from: unknown; to: unknown; changes: JsonChange[] }>([
    { from: { a: 1, b: 2 }, to: { b: 2, a: 1 }, changes: [] },
    { from: { a: 1, b: undefined }, to: { a: 1 }, changes: [] },
    {
      from: { a: 1, b: 2, c: 3 },
      to: { a: 4, c: 3, d: 5 },
      changes: [
        { path: ['a'], from: 1, to: 4 },
        { path: ['b'], from: 2 },
        { path: ['d'], to: 5 },
      ],
    },
    {
      from: { a: [{ n: 'x' }] },
      to: { a: [{ n: 'y' }] },
      changes: [{ path: ['a', 0, 'n'], from: 'x', to: 'y' }],
    },
    { from: { a: [1] }, to: { a: [1, 2] }, changes: [{ path: ['a', 1], to: 2 }] },
    { from: { a: null }, to: { a: {} }, changes: [{ path: ['a'], from: null, to: {} }] },
    { from: { a: {} }, to: { a: [] }, changes: [{ path: ['a'], from: {}, to: [] }] },
  ])('are the list $changes from $from to $to', ({ from, to, changes }) => {
    expect([...jsonChanges(from, to, { listsAsOne: false })]).toStrictEqual(changes);
  });

  it('contain a whole list as one value when the caller requests whole lists', () => {
    const [from, to] = [{ a: [{ n: 1 }, 2] }, { a: [{ n: 1 }, 3] }];
    expect([...jsonChanges(from, to, { listsAsOne: true })]).toStrictEqual([
      { path: ['a'], from: from.a, to: to.a },
    ]);
    expect([...jsonChanges(from, structuredClone(from), { listsAsOne: true })]).toStrictEqual([]);
  });
});
