import { describe, expect, it } from '@jest/globals';
import { FORMAT, type Checkpoint } from '../../../cli/checkpoint/checkpoint.ts';
import { compareLedger } from '../../../cli/checkpoint/compare-ledger.ts';
import { isSignedBefore, recordTime } from '../../../cli/checkpoint/ledger-time.ts';
import { aRecord, chainRecords } from './a-partition.ts';

const appendedAt = (offset: number, time: string) =>
  aRecord(offset, { value: Buffer.from(JSON.stringify({ id: `event-${offset}`, time })) });
const ledger = [
  appendedAt(0, '2026-03-01T12:00:00.000Z'),
  appendedAt(1, '2026-03-01T13:00:00.000Z'),
  appendedAt(2, '2026-03-01T14:00:00.000Z'),
];

/** What is found of the ledger by a checkpoint of its first two records. */
function findings(madeAt: string): unknown[] {
  const checkpoint: Checkpoint = {
    format: FORMAT,
    ledger: 'jobledger.ledger',
    madeAt,
    records: 2,
    previous: null,
    partitions: [chainRecords(ledger.slice(0, 2))],
    keyId: '0'.repeat(16),
    signature: '',
  };
  const extents = new Map([[0, { first: 0n, end: 3n }]]);
  const comparison = compareLedger(checkpoint, { topic: 'jobledger.ledger', extents, expires: false });
  for (const record of ledger) comparison.add(record);
  const { deviations, misdated } = comparison.result();
  expect(deviations).toEqual([]);
  return misdated;
}

describe('the date of a checkpoint', () => {
  it('is reported as wrong, with the record, when one of the records in the checkpoint is later', () => {
    expect(findings('2026-03-01T12:30:00.000Z')).toEqual([
      {
        type: 'misdated',
        partition: 0,
        after: null,
        before: '1',
        message:
          'the record at offset 1 was appended at 2026-03-01T13:00:00.000Z, after the time that the checkpoint states for itself',
        context: ['the checkpoint was backdated, or the clock of its signer or of a service was wrong'],
      },
    ]);
  });

  it('is not reported as wrong for a small difference of clocks, nor for a record after the checkpoint', () => {
    expect(findings('2026-03-01T12:55:00.000Z')).toEqual([]);
    expect(findings('2026-03-01T13:00:01.000Z')).toEqual([]);
  });
});

describe('the time of a record in a ledger', () => {
  it('is the time of its event, and is missing for a record that is no event', () => {
    expect(recordTime(appendedAt(0, '2026-03-01T12:00:00.123Z'))).toBe('2026-03-01T12:00:00.123Z');
    expect([
      recordTime({ value: null }),
      recordTime({ value: Buffer.from('{') }),
      recordTime(aRecord(0)),
    ]).toEqual([null, null, null]);
  });

  it('counts as later than a signature only beyond five minutes', () => {
    expect(isSignedBefore('2026-03-01T12:00:00Z', '2026-03-01T12:05:00Z')).toBe(false);
    expect(isSignedBefore('2026-03-01T12:00:00Z', '2026-03-01T12:05:01Z')).toBe(true);
  });
});
