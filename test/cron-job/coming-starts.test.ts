import { describe, expect, it } from '@jest/globals';
import { comingText } from '../../cli/verbs/cron.ts';
import { zoneRules } from '../../services/adapters/time-zones.ts';
import { comingStarts } from '../../workflows/cron-job/coming-starts.ts';
import { missingZones } from '../../workflows/cron-job/decide/zones.ts';
import { aWorld, change, runUntil, time, vanish, work, type World } from './world.ts';

const T0 = '2026-03-28T12:00:00Z';

function coming(world: World, count = 2): string[] {
  const zones = missingZones(world.state, world.now, { ...world.settings, zones: [] }).map(zoneRules);
  return comingText(comingStarts(world.state, world.now, { ...world.settings, zones }, count)).split('\n');
}

describe('the coming starts of a CronJob', () => {
  it('are the next times of its schedule in its time zone, through a change of the clocks (J-9.4)', () => {
    const world = aWorld({ schedule: '30 9 * * *', timeZone: 'Europe/Berlin' }, T0);
    work(world);
    expect(coming(world)).toEqual(['2026-03-29T07:30:00.000Z', '2026-03-30T07:30:00.000Z']);
  });

  it('follow the last start at equal intervals when the schedule is an interval (J-9.4)', () => {
    const world = aWorld({ schedule: '@every 90m' }, T0);
    runUntil(world, time('2026-03-28T14:00:00Z'));
    expect(coming(world)).toEqual(['2026-03-28T15:00:00.000Z', '2026-03-28T16:30:00.000Z']);
  });

  it('begin, after a change of the schedule, with the start for which the CronJob waits (J-9.11)', () => {
    const world = aWorld({ schedule: '@every 90m' }, T0);
    work(world);
    change(world, { schedule: '@hourly' });
    work(world);
    expect(coming(world, 1)).toEqual([
      '2026-03-28T13:00:00.000Z',
      'the schedule has changed, next start at 2026-03-28T13:00:00.000Z [J-9.11]',
    ]);
  });

  it('are shown with the reason that delays the last start (J-9.36)', () => {
    const world = aWorld({ schedule: '@hourly', concurrencyPolicy: 'Forbid' }, T0);
    runUntil(world, time('2026-03-28T14:10:00Z'));
    expect(coming(world, 1)).toEqual([
      '2026-03-28T15:00:00.000Z',
      'the start of 2026-03-28T14:00:00.000Z waits for the running Job (Forbid) [J-9.36]',
    ]);
  });

  it('are empty when the CronJob is suspended or invalid, and the reason is given', () => {
    const comingAfterWork = (world: World): string[] => {
      work(world);
      return coming(world);
    };
    expect(comingAfterWork(aWorld({ suspend: true }, T0))).toEqual([
      'no coming start: the CronJob is suspended [J-9.32]',
    ]);
    expect(comingAfterWork(aWorld({ timeZone: 'Moon/Base' }, T0))[0]).toMatch(
      /^no coming start: invalid timeZone/,
    );
    expect(comingAfterWork(aWorld({ schedule: '99 * * * *' }, T0))[0]).toMatch(
      /^no coming start: unparseable/,
    );
    expect(comingAfterWork(aWorld({ schedule: '0 0 31 2 *' }, T0))[0]).toMatch(
      /^no coming start: invalid schedule/,
    );
    const gone = aWorld({}, T0);
    vanish(gone);
    expect(comingAfterWork(gone)).toEqual(['no coming start: the CronJob does not exist [J-9.20]']);
  });
});
