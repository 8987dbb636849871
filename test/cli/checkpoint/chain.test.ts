import { describe, expect, it } from '@jest/globals';
import { chainStart, recordHash } from '../../../cli/checkpoint/chain.ts';
import { aRecord, chainRecords, records } from './a-partition.ts';

describe('the hash of a record in a checkpoint', () => {
  const hash = (key: string, value: string | null): string =>
    recordHash({ key, value: value === null ? null : Buffer.from(value) }).toString('hex');

  it('covers the key, the value, and the boundary between them', () => {
    const all = [hash('a', 'bc'), hash('ab', 'c'), hash('', 'abc'), hash('abc', ''), hash('abc', null)];
    expect(new Set(all).size).toBe(all.length);
    expect(hash('a', 'bc')).toBe(hash('a', 'bc'));
  });

  it('does not cover the offset, which differs when other records were removed', () => {
    const moved = { ...aRecord(1), offset: 0n };
    expect(recordHash(aRecord(1))).toEqual(recordHash(moved));
  });
});

describe('the hash chain of a partition', () => {
  it('depends on the number of the partition and on the order of its records', () => {
    expect(chainStart(0)).not.toEqual(chainStart(1));
    const [first, second] = [aRecord(0), aRecord(1)];
    const last = (some: (typeof first)[]) => chainRecords(some).marks.at(-1)?.chain;
    expect(last([first, second])).not.toBe(last([second, first]));
  });

  it('contains a hash after each record of a short partition', () => {
    expect(chainRecords(records(4)).marks.map((mark) => [mark.records, mark.offset])).toEqual([
      [1, '0'],
      [2, '1'],
      [3, '2'],
      [4, '3'],
    ]);
    expect(chainRecords([]).marks).toEqual([]);
  });

  it('contains at most 513 hashes of a long partition: after the first record, after the last, and at equal distances', () => {
    const chain = chainRecords(records(3001));
    expect(chain.every).toBe(8);
    expect(chain.marks.map((mark) => mark.records).slice(0, 3)).toEqual([1, 8, 16]);
    expect(chain.marks.at(-1)?.records).toBe(3001);
    expect(chain.marks.length).toBeLessThanOrEqual(513);
  });

  it('is equal whether it is computed at once or continued from an earlier checkpoint', () => {
    const all = records(1500);
    for (const cut of [0, 1, 2, 511, 512, 513, 700, 1024, 1499, 1500])
      expect(chainRecords(all.slice(cut), chainRecords(all.slice(0, cut)))).toEqual(chainRecords(all));
  });
});
