import { describe, expect, it } from '@jest/globals';
import { CORE_VERSION } from '../../workflows/cron-job/core.ts';
import type { CronJobReplay } from '../../workflows/history/replay/replay-to.ts';
import { replayCronJobTo } from '../../workflows/history/replay/replay-to.ts';
import { replaySteps } from '../../workflows/history/replay/replay-steps.ts';
import type { Point } from '../../workflows/history/replay/point.ts';
import { isRefused } from '../../workflows/history/refused.ts';
import { aWorld, runUntil, time, type World } from '../cron-job/world.ts';

const T0 = '2026-03-01T12:00:00Z';

/** Two starts, at 12:20 and 12:40. */
function aPlayedWorld(): World {
  const world = aWorld({ schedule: '*/20 * * * *' }, T0);
  runUntil(world, time('2026-03-01T12:50:00Z'));
  return world;
}

function made(world: World, point: Point): CronJobReplay {
  const replay = replayCronJobTo(world.stream, point);
  if (isRefused(replay)) throw new Error(replay.message);
  return replay;
}

describe('the replay of a CronJob to a point of its stream', () => {
  it('gives the state of the workflow at the end of the stream', () => {
    const world = aPlayedWorld();
    // The order of facts that no decision has folded yet is that of the ledger.
    const state = { ...world.state, folded: expect.anything() };
    expect(made(world, 'end')).toMatchObject({
      core: CORE_VERSION,
      state,
      followed: null,
      different: [],
    });
  });

  it('gives the status that the CronJob had at a given instant, with the decision that followed (J-9.38)', () => {
    const { state, followed } = made(aPlayedWorld(), { at: time('2026-03-01T12:30:00Z') });
    expect(state.cronJob?.status).toMatchObject({
      active: [{ name: 'tick-29539460' }],
      lastScheduleTime: '2026-03-01T12:20:00Z',
    });
    expect(followed).toMatchObject({
      number: 4,
      at: '2026-03-01T12:40:00.100Z',
      commands: [{ kind: 'CreateJob', name: 'tick-29539480' }],
      waiting: null,
      status: null,
    });
  });

  it('gives the status that the next decision wrote', () => {
    const { followed } = made(aPlayedWorld(), { until: '2' });
    expect(followed?.status?.lastScheduleTime).toBe('2026-03-01T12:20:00Z');
  });

  it('is refused before the first event, at an unknown event, and without a necessary record', () => {
    const { stream } = aPlayedWorld();
    expect(replayCronJobTo(stream, { at: 0 })).toMatchObject({
      refused: 'invalid',
      message: expect.stringMatching(/^the CronJob has no event up to/),
    });
    expect(replayCronJobTo(stream, { until: '99' })).toMatchObject({
      refused: 'unknown',
      message: expect.stringMatching(/^the CronJob has no event "99"/),
    });
    expect(replayCronJobTo(stream.slice(1), 'end')).toMatchObject({ refused: 'broken' });
  });

  it('shows each event with its changes in the state', () => {
    const steps = replaySteps(aPlayedWorld().stream, { until: '2' });
    if (isRefused(steps)) throw new Error(steps.message);
    expect(steps.map(({ about }) => about)).toEqual(['cronjob', 'decision 1', 'decision 2']);
    expect(steps[0]?.changes).toContainEqual({ path: ['versions', 'cronJob'], from: '', to: '100' });
  });
});
