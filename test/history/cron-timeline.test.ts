import { describe, expect, it } from '@jest/globals';
import { createNarrator } from '../../workflows/history/timeline/narrator.ts';
import type { TimelineLine } from '../../workflows/history/timeline/line.ts';
import {
  aWorld,
  change,
  finish,
  REFUSED,
  remove,
  runUntil,
  time,
  vanish,
  work,
  type World,
} from '../cron-job/world.ts';

const T0 = '2026-03-01T12:00:00Z';

function timelineLines({ stream }: World, superseded: string[] = []): TimelineLine[] {
  return stream.flatMap(createNarrator(new Set(superseded)));
}

function timelineText(world: World): string[] {
  return timelineLines(world).flatMap(({ about, message, below = [] }) => [`${about}: ${message}`, ...below]);
}

describe('the time line of a CronJob', () => {
  it('shows a start: the wait, the decision, the outcome, and the status that lists the Job (J-9.38, J-9.45)', () => {
    const world = aWorld({ schedule: '*/20 * * * *', concurrencyPolicy: 'Forbid' }, T0);
    runUntil(world, time('2026-03-01T12:21:00Z'));
    expect(timelineText(world)).toEqual([
      'cronjob: first seen, schedule */20 * * * *, concurrencyPolicy Forbid, successfulJobsHistoryLimit 3, failedJobsHistoryLimit 1',
      'decision 1: waits: next start at 2026-03-01T12:20:00.000Z [J-9.45], looks again at 2026-03-01T12:20:00.100Z',
      'decision 2: 1 command',
      '→ CreateJob tick-29539460: the start of 2026-03-01T12:20:00.000Z [J-9.38]',
      'job tick-29539460: first seen, startTime 2026-03-01T12:20:00Z',
      'answer 2.1: CreateJob: created: tick-29539460',
      'decision 3: 1 command, then waits: next start at 2026-03-01T12:40:00.000Z [J-9.45], looks again at 2026-03-01T12:40:00.100Z',
      '→ WriteStatus (active: tick-29539460, lastScheduleTime 2026-03-01T12:20:00Z): active: tick-29539460 [J-9.20]',
      'cronjob: active: tick-29539460, lastScheduleTime 2026-03-01T12:20:00Z',
      'answer 3.1: WriteStatus: written',
    ]);
  });

  it('shows the end of a Job, changes of the spec, and deletions', () => {
    const world = aWorld({ schedule: '@hourly', timeZone: 'Europe/Berlin' }, T0);
    runUntil(world, time('2026-03-01T13:01:00Z'));
    const [{ name } = { name: '' }] = world.starts;
    finish(world, name);
    work(world);
    change(world, { schedule: '@daily', suspend: true });
    remove(world, name);
    vanish(world);
    expect(timelineText(world)).toEqual(
      expect.arrayContaining([
        `job ${name}: Complete`,
        `→ WriteStatus (no longer active: ${name}, lastSuccessfulTime 2026-03-01T13:01:00Z): active: none [J-9.20]`,
        '→ EmitEvents SawCompletedJob: Jobs have finished [J-9.30]',
        'cronjob: schedule @hourly → @daily, suspend false → true',
        `job ${name}: deleted`,
        'cronjob: deleted',
      ]),
    );
  });

  it('shows errors of the API, and the commands that were not sent after an error (J-9.10, J-9.37)', () => {
    const world = aWorld({ concurrencyPolicy: 'Replace' }, T0);
    runUntil(world, time('2026-03-01T12:01:30Z'));
    world.trouble = { ReplaceJobs: REFUSED };
    runUntil(world, time('2026-03-01T12:02:00.102Z'));
    expect(timelineText(world)).toEqual(
      expect.arrayContaining([
        '→ ReplaceJobs tick-29539441: replaced by the start of 2026-03-01T12:02:00.000Z [J-9.37]',
        expect.stringMatching(
          /^answer \d+\.1: ReplaceJobs: tick-29539441 FAILED with 500 InternalError: no$/,
        ),
        expect.stringMatching(/^answer \d+\.2: CreateJob: not sent, because an earlier command failed$/),
      ]),
    );
  });

  it('marks a superseded decision', () => {
    const world = aWorld({}, T0);
    work(world);
    const { id = '' } = world.stream.find(({ type }) => type === 'cronjob.decided') ?? {};
    expect(timelineLines(world, [id]).at(-1)?.message).toMatch(/^\(superseded: the step ran again\) waits/);
  });

  it('does not show an older version as a change', () => {
    const world = aWorld({}, T0);
    change(world, { schedule: '@daily' });
    const [first, second] = world.stream;
    if (first === undefined || second === undefined) throw new Error('nothing observed');
    world.stream = [second, first];
    expect(timelineLines(world)[1]?.message).toBe('an older version, seen late');
  });
});
