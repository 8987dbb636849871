import { describe, expect, it } from '@jest/globals';
import type { CronCommand } from '../../workflows/cron-job/commands.ts';
import {
  aWorld,
  catchUp,
  finish,
  observeJob,
  putJob,
  remove,
  replayed,
  runUntil,
  time,
  work,
  type Creation,
  type World,
} from './world.ts';

const T0 = '2026-03-01T12:00:00Z';
const FIRST = '2026-03-01T12:01:00.100Z';

/** A CronJob of every minute whose first creation has a mishap while the watch is behind. */
function afterMishap(creation: Creation, spec: { concurrencyPolicy?: string } = {}): World {
  const world = aWorld(spec, T0);
  work(world);
  world.now = time(FIRST);
  world.creation = creation;
  world.unseen = [];
  work(world);
  return world;
}

function commands({ stream }: World): CronCommand[] {
  return stream.flatMap((event) => (event.type === 'cronjob.decided' ? event.data.commands : []));
}

function created(world: World): string[] {
  return commands(world).flatMap((each) =>
    each.kind === 'CreateJob' ? [each.scheduledAt.slice(11, 16)] : [],
  );
}

function carriedOut({ starts }: World): string[] {
  return starts.map(({ scheduledAt }) => new Date(scheduledAt).toISOString().slice(11, 16));
}

describe('a start whose response was lost', () => {
  it('is not carried out again when its Job has ended and is deleted (J-9.38)', () => {
    const world = afterMishap('lost and gone');
    expect(created(world)).toEqual(['12:01']);
    catchUp(world);
    runUntil(world, time('2026-03-01T12:01:30Z'));
    expect(carriedOut(world)).toEqual(['12:01']);
    expect(world.cronJob.status).toEqual({
      lastScheduleTime: '2026-03-01T12:01:00Z',
      lastSuccessfulTime: '2026-03-01T12:01:00Z',
    });
    expect(replayed(world.stream).differing).toEqual([]);
  });

  it('makes the CronJob wait for an event that the wait names, and no later start is decided before that event', () => {
    const world = afterMishap('lost and gone', { concurrencyPolicy: 'Forbid' });
    const version = world.state.unknown?.after;
    expect(world.state.waiting).toEqual({
      rule: 'J-9.38',
      message:
        'whether the start of 2026-03-01T12:01:00Z has created the Job tick-29539441 is not known: a request got no answer; ' +
        `waits for the watch of Jobs to pass version ${version}`,
    });
    runUntil(world, time('2026-03-01T12:04:30Z'));
    expect(created(world)).toEqual(['12:01']);
    catchUp(world);
    runUntil(world, time('2026-03-01T12:06:30Z'));
    expect(new Set(created(world)).size).toBe(created(world).length);
    expect(carriedOut(world).slice(0, 2)).toEqual(['12:01', '12:04']);
  });

  it('is carried out when the watch shows that its Job was never created', () => {
    const world = afterMishap('not sent');
    expect(carriedOut(world)).toEqual([]);
    catchUp(world);
    runUntil(world, time('2026-03-01T12:01:50Z'));
    expect(carriedOut(world)).toEqual(['12:01']);
    expect(created(world)).toEqual(['12:01', '12:01']);
    expect(replayed(world.stream).differing).toEqual([]);
  });

  it('causes requests for the progress of the watch after 1, 2, 4 … seconds, and finally each minute', () => {
    const world = afterMishap('not sent');
    runUntil(world, time('2026-03-01T12:05:00Z'));
    const asked = world.stream.flatMap((event) =>
      event.type === 'cronjob.decided' && event.data.commands.some(({ kind }) => kind === 'AwaitWatch')
        ? [(event.data.now - time(FIRST)) / 1000]
        : [],
    );
    expect(asked.slice(0, 8)).toEqual([0, 1, 3, 7, 15, 31, 63, 123]);
  });

  it('is carried out when a Job of the CronJob is observed in a later version', () => {
    const world = afterMishap('not sent');
    world.unseen = null;
    observeJob(world, putJob(world, 'stray'));
    world.unseen = [];
    runUntil(world, world.now + 1000);
    expect(carriedOut(world)).toEqual(['12:01']);
  });

  it('does not stop the history limits and the status updates', () => {
    const world = aWorld({ successfulJobsHistoryLimit: 0 }, T0);
    runUntil(world, time('2026-03-01T12:01:30Z'));
    world.now = time('2026-03-01T12:02:00.100Z');
    world.creation = 'not sent';
    work(world);
    finish(world, 'tick-29539441');
    world.unseen = [];
    work(world);
    expect(world.emitted).toContain('Normal SuccessfulDelete: Deleted job tick-29539441');
    expect(world.cronJob.status?.active).toBeUndefined();
  });
});

describe('a workflow run that is replaced during a creation', () => {
  /** The process dies after the creation; the next one folds the ledger. */
  function recalled(creation: Creation): World {
    const world = aWorld({ concurrencyPolicy: 'Forbid' }, T0);
    work(world);
    world.now = time(FIRST);
    world.unseen = [];
    world.creation = creation;
    world.crashAfter = 0;
    work(world);
    world.state = replayed(world.stream).state;
    return world;
  }

  it.each<Creation>(['answered', 'lost and gone', 'not sent'])(
    'is followed by a run that decides no start beside the unfinished start, and no start twice (Forbid; request for the creation: %s)',
    (creation) => {
      const world = recalled(creation);
      world.now = time('2026-03-01T12:02:00.100Z');
      work(world);
      expect(created(world)).toEqual(['12:01']);
      expect(world.state.waiting?.message).toMatch(/waits for the watch of Jobs to pass/);
      catchUp(world);
      runUntil(world, time('2026-03-01T12:02:30Z'));
      expect(world.mostActive).toBe(1);
      expect(new Set(carriedOut(world)).size).toBe(world.starts.length);
      expect(carriedOut(world)[0]).toBe(creation === 'not sent' ? '12:02' : '12:01');
      expect(replayed(world.stream).differing).toEqual([]);
    },
  );

  it('is followed by a run that lists the created Job in the status when the Job is observed, and that waits for the end of the Job (Forbid)', () => {
    const world = recalled('answered');
    catchUp(world);
    work(world);
    expect(world.cronJob.status).toMatchObject({
      active: [{ name: 'tick-29539441' }],
      lastScheduleTime: '2026-03-01T12:01:00Z',
    });
    world.now = time('2026-03-01T12:03:00.100Z');
    work(world);
    expect(created(world)).toEqual(['12:01']);
    finish(world, 'tick-29539441');
    remove(world, 'tick-29539441');
    work(world);
    expect(created(world)).toEqual(['12:01', '12:03']);
  });
});
