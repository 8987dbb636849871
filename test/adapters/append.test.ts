import { describe, expect, it } from '@jest/globals';
import { toBatches } from '../../services/adapters/kafka/append.ts';

function aRecord(key: string, kilobytes: number) {
  return { key, value: 'a'.repeat(kilobytes * 1024) };
}

function batchKeys(...records: { key: string; value: string }[]): unknown[] {
  return toBatches(records).map((portion) => portion.map(({ key }) => key));
}

describe('records that are appended together', () => {
  it('are sent in one request while their total size is small', () => {
    expect(batchKeys(aRecord('a', 1), aRecord('b', 2))).toEqual([['a', 'b']]);
    expect(batchKeys()).toEqual([]);
  });

  it('are sent in several requests, in order, when Kafka would reject one batch of all records', () => {
    expect(batchKeys(aRecord('a', 600), aRecord('b', 300), aRecord('c', 300), aRecord('d', 1))).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('are sent in separate requests when each record is large', () => {
    expect(batchKeys(aRecord('a', 1), aRecord('b', 3000), aRecord('c', 1))).toEqual([['a'], ['b'], ['c']]);
  });

  it('are measured in bytes, not in characters', () => {
    const wide = { key: 'w', value: 'ö'.repeat(400 * 1024) };
    expect(batchKeys(wide, wide)).toEqual([['w'], ['w']]);
  });
});
