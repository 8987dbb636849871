import { describe, expect, it } from '@jest/globals';
import { parseSchedule } from '../../../workflows/cron-job/schedule/parse-schedule.ts';

describe('the schedule @every', () => {
  it.each([
    ['@every 1.9s', 1],
    ['@every 300ms', 1],
    ['@every -5m', 1],
    ['@every 1h30m', 5400],
    ['@every 2562047h47m16.854775807s', 9_223_372_036],
  ])('is rounded to whole seconds, at least one: %s means %i seconds (J-9.3)', (text, seconds) => {
    expect(parseSchedule(text)).toEqual({ schedule: { kind: 'interval', seconds } });
  });
});
