import { describe, expect, it } from '@jest/globals';
import { assert, nat, property } from 'fast-check';
import type { LedgerRecord } from '../../../services/adapters/kafka/subscription.ts';
import { toFinding } from '../../../cli/checkpoint/findings.ts';
import { aRecord, chainRecords, listDeviations, records, renumbered } from './a-partition.ts';

/** What is found of records that were changed after a checkpoint of `count` records. */
function found(count: number, change: (all: LedgerRecord[]) => LedgerRecord[]): string[] {
  const chain = chainRecords(records(count));
  return listDeviations(chain, change(records(count))).map((each) => toFinding(chain, each).message);
}

const changed = { value: Buffer.from('{"id":"forged"}') };

describe('a partition whose records did not change since the checkpoint', () => {
  it('has no deviation', () => {
    for (const count of [0, 1, 2, 600, 5000]) expect(found(count, (all) => all)).toEqual([]);
  });

  it('has no deviation when it has more records than the checkpoint', () => {
    const chain = chainRecords(records(600));
    expect(listDeviations(chain, records(900))).toEqual([]);
  });

  it('has no deviation when its offsets differ, as in a copy', () => {
    const moved = records(600).map((record) => ({ ...record, offset: record.offset * 2n + 7n }));
    expect(listDeviations(chainRecords(records(600)), moved)).toEqual([]);
  });

  it('has no deviation when it contains some records twice', () => {
    const twice = renumbered(
      records(40).flatMap((record, at) => (at % 7 === 0 ? [record, record] : [record])),
    );
    expect(listDeviations(chainRecords(twice), twice)).toEqual([]);
    const repeated = renumbered([...records(30), ...records(30), ...records(30)]);
    expect(listDeviations(chainRecords(repeated), repeated)).toEqual([]);
  });
});

describe('the comparison of a short partition, for which the checkpoint has a hash after each record', () => {
  it('names a removed record', () => {
    expect(found(20, (all) => renumbered(all.toSpliced(5, 1)))).toEqual(['1 record removed at offset 5']);
    expect(found(20, (all) => all.toSpliced(5, 1))).toEqual(['1 record removed at offset 5']);
  });

  it('names a record whose key or value was changed', () => {
    expect(found(20, (all) => all.with(5, aRecord(5, changed)))).toEqual(['1 record changed at offset 5']);
    expect(found(20, (all) => all.with(5, aRecord(5, { key: 'east/other' })))).toEqual([
      '1 record changed at offset 5',
    ]);
  });

  it('names the place of an inserted record', () => {
    expect(found(20, (all) => renumbered(all.toSpliced(5, 0, aRecord(99))))).toEqual([
      '1 record inserted between offsets 4 and 5',
    ]);
  });

  it('finds records in another order', () => {
    expect(found(20, (all) => renumbered(all.toSpliced(5, 2, aRecord(6), aRecord(5))))).toEqual([
      'some of 2 records changed between offsets 4 and 7',
    ]);
  });

  it('finds that the first or the newest record was removed', () => {
    expect(found(20, (all) => renumbered(all.slice(1)))).toEqual(['1 record removed before offset 1']);
    expect(found(20, (all) => all.slice(0, -1))).toEqual([
      'at least 1 record removed at offset 19, the newest record of the checkpoint',
    ]);
    expect(found(20, (all) => all.slice(0, -5))).toEqual([
      'at least 5 records removed between offset 14 and the newest record of the checkpoint, at offset 19',
    ]);
    expect(found(20, () => [])).toEqual([
      'at least 20 records removed up to offset 19: no record of the partition is intact',
    ]);
  });

  it('finds the removal of the newest record although other records were appended since', () => {
    const chain = chainRecords(records(20));
    const now = renumbered([...records(19), aRecord(50), aRecord(51), aRecord(52)]);
    expect(listDeviations(chain, now)).toEqual([
      expect.objectContaining({ covered: 1, after: 18n, before: null }),
    ]);
  });

  it('names all removed records of one Job', () => {
    const without = (all: LedgerRecord[]): LedgerRecord[] =>
      renumbered(all.filter(({ key }) => key !== 'east/job-1'));
    expect(found(10, without)).toEqual([
      '1 record removed at offset 1',
      '1 record removed at offset 4',
      '1 record removed at offset 7',
    ]);
  });
});

describe('the comparison of a long partition', () => {
  it('names the offset range between two hashes for each of several changes', () => {
    expect(
      found(5000, (all) =>
        renumbered(all.with(100, aRecord(100, changed)).toSpliced(2000, 1).toSpliced(3000, 0, aRecord(9999))),
      ),
    ).toEqual([
      'some of 15 records changed between offsets 95 and 111',
      '1 record of 15 removed between offsets 1999 and 2015',
      '1 record inserted between offsets 2991 and 3007',
    ]);
  });

  it('never misses a record that was removed, changed or inserted', () => {
    const all = records(2500);
    const chain = chainRecords(all);
    assert(
      property(nat(2499), nat(2), (at, kind) => {
        const altered = [
          all.toSpliced(at, 1),
          all.with(at, aRecord(at, changed)),
          all.toSpliced(at, 0, aRecord(99_999)),
        ][kind];
        const deviations = listDeviations(chain, renumbered(altered ?? []));
        expect(deviations).toHaveLength(1);
        const { after, before } = deviations[0] ?? {};
        expect(Number(after ?? -1)).toBeLessThan(at + 1);
        expect(Number(before ?? 2500)).toBeGreaterThanOrEqual(at);
      }),
      { numRuns: 40 },
    );
  });
});
