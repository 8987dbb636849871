import { describe, expect, it } from '@jest/globals';
import { encodeEvent } from '../../services/adapters/event-codec.ts';
import type { LedgerRecord } from '../../services/adapters/kafka/subscribe.ts';
import { readRecords } from '../../services/projector/read-records.ts';
import { aPod, jobObserved, aJob, podObserved } from './builders.ts';

function record(offset: number, value: string | null): LedgerRecord {
  return {
    partition: 3,
    offset: BigInt(offset),
    key: 'east/job-1',
    value: value === null ? null : Buffer.from(value),
  };
}

describe('records of the ledger', () => {
  it('become events with their positions; those that cannot be read are set aside with the reason', () => {
    const event = jobObserved(1, aJob({ version: 1 }));
    const { value } = encodeEvent(event);
    const { events, deadLetters } = readRecords([
      record(7, value),
      record(8, 'not JSON'),
      record(9, value.replace('job.observed.v1', 'job.observed.v99')),
      record(10, null),
    ]);
    expect(events).toEqual([{ partition: 3, offset: 7n, event, dataText: JSON.stringify(event.data) }]);
    expect(deadLetters.map(({ record: { offset }, reason }) => [offset, reason])).toEqual([
      [8n, 'the record is not JSON'],
      [9n, 'job.observed in version 99; this program reads version 1'],
      [10n, 'the record is empty'],
    ]);
  });

  it('lose only the characters that Postgres cannot hold', () => {
    const pod = aPod({ name: 'pi-a', version: 1, status: { message: 'a\u0000b\ud800c \\u0000 😀' } });
    const { events } = readRecords([record(1, encodeEvent(podObserved(1, pod)).value)]);
    expect(events[0]?.event.data).toMatchObject({
      object: { status: { message: 'a\ufffdb\ufffdc \\u0000 😀' } },
    });
    expect(events[0]?.dataText).toBeNull();
  });

  it('give the text of their data only when it stands alone at their end', () => {
    const event = jobObserved(1, aJob({ version: 1 }));
    const { value } = encodeEvent(event);
    const { events } = readRecords([
      record(1, value.replace('{', '{ ')),
      record(2, value.replace('"subject"', '"extension":{},"subject"')),
      record(3, `${value.slice(0, -1)},"extension":{}}`),
      record(4, `${value}\n`),
    ]);
    expect(events.map(({ dataText }) => dataText)).toEqual([null, null, null, null]);
    expect(events.map((each) => each.event)).toEqual([event, event, event, event]);
  });
});
