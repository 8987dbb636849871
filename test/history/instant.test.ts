import { describe, expect, it } from '@jest/globals';
import { instantFrom } from '../../workflows/history/instant.ts';

describe('the argument for an instant on the command line', () => {
  it.each([
    ['2026-11-21T03:12:00Z', '2026-11-21T03:12:00.000Z'],
    ['2026-11-21T03:12:00.250+01:00', '2026-11-21T02:12:00.250Z'],
    ['2026-11-21 03:12Z', '2026-11-21T03:12:00.000Z'],
    ['2024-02-29T00:00:00z', '2024-02-29T00:00:00.000Z'],
  ])('is read in each valid form: %s means %s', (text, instant) => {
    expect(instantFrom(text)).toBe(Date.parse(instant));
  });

  it.each([
    ['2026-11-21T03:12:00', /names no time zone: write 2026-11-21T03:12:00Z for UTC, or .*\+01:00/],
    ['2026-02-30T03:12:00Z', /no clock shows this instant/],
    ['2026-11-21T25:12:00Z', /no clock shows this instant/],
    ['yesterday', /write date, time and zone, as in 2026-11-21T03:12:00Z/],
    ['2026-11-21', /write date, time and zone/],
    ['', /write date, time and zone/],
  ])('is refused with a valid example when it is "%s"', (text, message) => {
    expect(instantFrom(text)).toEqual({ refused: 'invalid', message: expect.stringMatching(message) });
  });
});
