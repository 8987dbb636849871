import { describe, expect, it } from '@jest/globals';
import { dueTimes, type CronJobVersion } from '../../../services/projector/missed-starts/due-times.ts';

const at = (text: string): number => Date.parse(text);
const DAY = { from: at('2026-03-01T00:00:00Z'), until: at('2026-03-02T00:00:00Z') };
const EVERY_SIX_HOURS: CronJobVersion = {
  since: 0,
  schedule: '0 */6 * * *',
  timeZone: null,
  suspend: false,
  deleted: false,
};

/** The times of the schedule of these versions as text, without the date of the first of March. */
function times(versions: readonly CronJobVersion[], period = DAY): string[] {
  return dueTimes(versions, period).map((time) =>
    new Date(time).toISOString().replace('2026-03-01T', '').replace(':00.000Z', ''),
  );
}

describe('the times of the schedule of a CronJob', () => {
  it('are in the half-open period, in UTC without a time zone', () => {
    expect(times([EVERY_SIX_HOURS])).toEqual(['00:00', '06:00', '12:00', '18:00']);
    expect(times([EVERY_SIX_HOURS], { ...DAY, until: at('2026-03-01T06:00:00Z') })).toEqual(['00:00']);
    expect(times([EVERY_SIX_HOURS], { ...DAY, from: at('2026-03-01T00:00:01Z') })).toEqual([
      '06:00',
      '12:00',
      '18:00',
    ]);
  });

  it('are the same, however the period is divided', () => {
    for (let minutes = 7; minutes < 24 * 60; minutes += 97) {
      const middle = DAY.from + minutes * 60_000;
      const halves = [
        ...times([EVERY_SIX_HOURS], { from: DAY.from, until: middle }),
        ...times([EVERY_SIX_HOURS], { from: middle, until: DAY.until }),
      ];
      expect(halves).toEqual(times([EVERY_SIX_HOURS]));
    }
  });

  it('are in the time zone of the CronJob, or of its schedule, also when the clocks change', () => {
    const nightly = { ...EVERY_SIX_HOURS, schedule: '0 3 * * *', timeZone: 'Europe/Berlin' };
    expect(times([nightly])).toEqual(['02:00']);
    const summer = { from: at('2026-03-29T00:00:00Z'), until: at('2026-03-30T00:00:00Z') };
    expect(times([nightly], summer)).toEqual(['2026-03-29T01:00']);
    expect(times([{ ...nightly, schedule: 'TZ=Asia/Tokyo 0 3 * * *', timeZone: null }])).toEqual(['18:00']);
  });

  it('follow the version that was observed last before each time', () => {
    const later = { ...EVERY_SIX_HOURS, since: at('2026-03-01T07:00:00Z'), schedule: '30 * * * *' };
    const suspended = { ...later, since: at('2026-03-01T09:00:00Z'), suspend: true };
    const resumed = { ...later, since: at('2026-03-01T21:00:00Z') };
    const deleted = { ...later, since: at('2026-03-01T22:00:00Z'), deleted: true };
    expect(times([EVERY_SIX_HOURS, later, suspended, resumed, deleted])).toEqual([
      '00:00',
      '06:00',
      '07:30',
      '08:30',
      '21:30',
    ]);
  });

  it.each([
    ['an unknown schedule', { schedule: null }],
    ['an invalid schedule', { schedule: '61 * * * *' }],
    ['a schedule with an invalid zone', { schedule: 'TZ=Nowhere/At 0 * * * *' }],
    ['a schedule with an unfinished zone', { schedule: 'TZ=UTC' }],
    ['an unknown time zone', { timeZone: 'Nowhere/At' }],
    ['an interval, whose times depend on the controller', { schedule: '@every 1s' }],
    ['a schedule without any day', { schedule: '0 0 30 2 *' }],
    ['a suspended CronJob', { suspend: true }],
    ['a deleted CronJob', { deleted: true }],
  ])('are none for %s', (_case, change) => {
    expect(times([{ ...EVERY_SIX_HOURS, ...change }])).toEqual([]);
  });
});
