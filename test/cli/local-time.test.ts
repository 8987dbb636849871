import { describe, expect, it } from '@jest/globals';
import { localTime } from '../../cli/print/local-time.ts';
import { comingText } from '../../cli/verbs/cron.ts';

const at = Date.parse;

describe('the local time of a start', () => {
  it.each([
    ['2026-07-01T00:30:00Z', 'Europe/Berlin', '2026-07-01 02:30 +02:00 Europe/Berlin'],
    ['2026-10-25T00:30:00Z', 'Europe/Berlin', '2026-10-25 02:30 +02:00 Europe/Berlin, the first of the two'],
    ['2026-10-25T01:30:00Z', 'Europe/Berlin', '2026-10-25 02:30 +01:00 Europe/Berlin, the second of the two'],
    ['2026-10-25T02:30:00Z', 'Europe/Berlin', '2026-10-25 03:30 +01:00 Europe/Berlin'],
    [
      '2026-04-04T14:45:00Z',
      'Australia/Lord_Howe',
      '2026-04-05 01:45 +11:00 Australia/Lord_Howe, the first of the two',
    ],
    ['2026-10-25T01:30:00Z', 'UTC', '2026-10-25 01:30 +00:00 UTC'],
  ])(
    'is the time in its zone, with the offset, also when the clocks change: %s in %s',
    (instant, zone, text) => {
      expect(localTime(at(instant), zone)).toBe(text);
    },
  );

  it('is shown beside the instant when the schedule names a zone', () => {
    const coming = { starts: [at('2026-07-01T00:30:00Z')], waiting: null };
    expect(comingText(coming, 'Europe/Berlin')).toBe(
      '2026-07-01T00:30:00.000Z  2026-07-01 02:30 +02:00 Europe/Berlin',
    );
    expect(comingText(coming)).toBe('2026-07-01T00:30:00.000Z');
  });
});
