import { describe, expect, it } from '@jest/globals';
import { encodeEvent } from '../../services/adapters/events/event-codec.ts';
import { NewerRecordError } from '../../services/adapters/events/unreadable-record.ts';
import { stringifyExact } from '../../services/adapters/exact-json.ts';
import type { LedgerRecord } from '../../services/adapters/kafka/subscription.ts';
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

describe('the records of the ledger that the projector reads', () => {
  it('become events with their positions, or dead letters with a reason when they cannot be used', () => {
    const event = jobObserved(1, aJob({ version: 1 }));
    const { value } = encodeEvent(event);
    const { events, deadLetters } = readRecords([
      record(7, value),
      record(8, 'not JSON'),
      record(9, value.replace('"specversion":"1.0"', '"specversion":"0.3"')),
      record(10, null),
    ]);
    expect(events).toEqual([
      { partition: 3, offset: 7n, event, version: 1, dataText: JSON.stringify(event.data) },
    ]);
    expect(deadLetters.map(({ record: { offset }, reason }) => [offset, reason])).toEqual([
      [8n, 'the record is not JSON'],
      [9n, expect.stringContaining('not a CloudEvent: specversion')],
      [10n, 'the record is empty'],
    ]);
  });

  it.each([
    [
      'job.observed.v99',
      'partition 3, offset 9 of the ledger: dev.jobledger.job.observed.v99 is newer than this version of Jobledger, which reads job.observed up to version 1: start a newer one',
    ],
    [
      'job.forgotten.v1',
      'partition 3, offset 9 of the ledger: dev.jobledger.job.forgotten.v1 is unknown to this version of Jobledger: start a newer one',
    ],
  ])('stop the reader, and become no dead letters, when their format is newer (%s)', (type, message) => {
    const event = jobObserved(1, aJob({ version: 1 }));
    const { value } = encodeEvent(event);
    const read = readRecords([
      record(7, value),
      record(8, 'not JSON'),
      record(9, value.replace('job.observed.v1', type)),
      record(10, value),
    ]);
    expect(read.events.map(({ offset }) => offset)).toEqual([7n]);
    expect(read.deadLetters.map(({ record: { offset } }) => offset)).toEqual([8n]);
    expect(read.newer).toEqual({ offset: 9n, error: new NewerRecordError(message) });
  });

  it('have a replacement character only for characters that Postgres cannot store', () => {
    const pod = aPod({ name: 'pi-a', version: 1, status: { message: 'a\u0000b\ud800c \\u0000 😀' } });
    const { events } = readRecords([record(1, encodeEvent(podObserved(1, pod)).value)]);
    expect(events[0]?.event.data).toMatchObject({
      object: { status: { message: 'a\ufffdb\ufffdc \\u0000 😀' } },
    });
    expect(events[0]?.dataText).toBeNull();
  });

  it('retain every digit of an integer beyond 2^53', () => {
    const event = jobObserved(1, aJob({ version: 1 }));
    const long = (text: string): string =>
      text.replace('"parallelism":1', '"parallelism":1,"activeDeadlineSeconds":9007199254740993');
    const { value } = encodeEvent(event);
    const { events } = readRecords([
      record(1, long(value)),
      record(2, long(value).replace('{', '{ ')),
      record(3, long(value.replace('"maths"', String.raw`"\u0000"`))),
    ]);
    for (const { event: read } of events)
      expect(read.data).toMatchObject({ object: { spec: { activeDeadlineSeconds: 9007199254740993n } } });
    expect(events.map((each) => each.dataText ?? stringifyExact(each.event.data))).toEqual([
      long(JSON.stringify(event.data)),
      long(JSON.stringify(event.data)),
      long(JSON.stringify(event.data)).replace('"maths"', '"\ufffd"'),
    ]);
  });

  it('have the text of their data only when the record has exactly the form that Jobledger writes', () => {
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
