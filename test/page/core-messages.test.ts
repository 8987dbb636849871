import { describe, expect, it } from '@jest/globals';
import type { CronJobDetails } from '../../page/api/rows.ts';
import { startsStrip } from '../../page/cron-jobs/strip-places.ts';
import { waitSentence } from '../../page/cron-jobs/wait-sentence.ts';
import {
  aWorld,
  loseStart,
  observe,
  putJob,
  restore,
  runUntil,
  time,
  work,
  type World,
} from '../cron-job/world.ts';

const T0 = '2026-03-01T12:00:00Z';

/** A CronJob whose start of 12:01 is left out because another Job has its name. */
function withTakenName(): World {
  const world = aWorld({}, T0);
  putJob(world, 'tick-29539441', 'another');
  work(world);
  world.now = time('2026-03-01T12:01:01Z');
  work(world);
  return world;
}

/** A CronJob whose start of 12:03 is left out because a restore hides whether its Job was created. */
function withUnprovenStart(): World {
  const world = aWorld({}, T0);
  const copy = loseStart(world);
  world.unseen = null;
  restore(world, copy);
  observe(world);
  runUntil(world, time('2026-03-01T12:03:50Z'));
  return world;
}

describe('a start that the core leaves out (J-9.38)', () => {
  it.each([
    ['another Job has its name', withTakenName, /another Job already has its name\.$/],
    ['a restore hides its Job', withUnprovenStart, /whether the start had created its Job\.$/],
  ])('is explained by the page in a sentence of its own when %s', (_case, createWorld, expected) => {
    const { message = '', rule = '' } = createWorld().state.waiting ?? {};
    expect(waitSentence({ waiting_message: message })).toMatch(expected);
    const cronJob = { time_zone: null, coming_starts: [] } as unknown as CronJobDetails;
    const skipped = { scheduled_at: '2026-03-01T12:03:00Z', rule, message };
    const [place] = startsStrip(cronJob, [], [skipped]);
    expect(place?.why?.message).toMatch(expected);
  });
});
