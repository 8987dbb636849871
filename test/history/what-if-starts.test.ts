import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { zoneRules } from '../../services/adapters/time-zones.ts';
import { isRefused } from '../../workflows/history/refused.ts';
import type { StartChange, WhatIfStarts } from '../../workflows/history/what-if-starts/types.ts';
import { whatIfStarts } from '../../workflows/history/what-if-starts/what-if-starts.ts';
import { live, moves, policies } from '../cron-job/life.ts';
import {
  aWorld,
  change,
  finish,
  iso,
  observeJob,
  putJob,
  REFUSED,
  remove,
  runUntil,
  setStatus,
  time,
  work,
  type World,
} from '../cron-job/world.ts';
import { extent } from '../support/extent.ts';

jest.setTimeout(120_000);

const T0 = '2026-03-01T12:00:00Z';
const MINUTE = 60_000;

function under(world: World, changed: StartChange): WhatIfStarts {
  const answer = whatIfStarts(world.stream, changed, zoneRules);
  if (isRefused(answer)) throw new Error(answer.message);
  return answer;
}

/** `12:10 same`, `12:20 later by 60 s`; times in UTC. */
function rows({ starts }: WhatIfStarts): string[] {
  return starts.map(({ scheduledAt, result, message }) =>
    `${scheduledAt.slice(11, 16)} ${result} ${message}`.trim(),
  );
}

function results(answer: WhatIfStarts): string[] {
  return answer.starts.map(({ scheduledAt, result }) => `${scheduledAt.slice(11, 16)} ${result}`);
}

/** Runs until an instant of 1 March. */
function until(world: World, clock: string): void {
  runUntil(world, time(`2026-03-01T${clock}Z`));
}

/** Every 10 minutes from 12:10 on; each Job runs for so many minutes, if any. */
function ticking(policy: string, minutes: number | null, last: string): World {
  const world = aWorld({ schedule: '*/10 * * * *', concurrencyPolicy: policy }, T0);
  work(world);
  const end = time(`2026-03-01T${last}:00Z`);
  for (let at = time(T0) + MINUTE; at <= end; at += MINUTE) {
    runUntil(world, at);
    for (const { name, at: started } of world.starts) {
      const job = world.jobs.get(name);
      const isOver = minutes !== null && at - started >= (minutes - 1) * MINUTE;
      if (job !== undefined && isOver && job.status?.conditions === undefined) finish(world, name);
    }
    work(world);
  }
  return world;
}

describe('in a what-if whose values affect no start', () => {
  it('every recorded start is the same, although the record has Jobs that end, foreign Jobs, crashes, changes and outages', () => {
    fc.assert(
      fc.property(policies, moves, (policy, drawn) => {
        const world = live(policy, drawn);
        const answer = under(world, {});
        expect(answer.unknown).toBeNull();
        expect(
          answer.starts.map(({ scheduledAt, result, message }) => [scheduledAt, result, message]),
        ).toEqual(
          [...new Set(world.starts.map(({ scheduledAt }) => scheduledAt))]
            .toSorted((a, b) => a - b)
            .map((at) => [new Date(at).toISOString(), 'same', '']),
        );
      }),
      { numRuns: extent(25, 60), seed: 23 },
    );
  });

  it('values that equal the recorded values, and other history limits, change no start', () => {
    fc.assert(
      fc.property(policies, moves, fc.nat({ max: 3 }), (policy, drawn, limit) => {
        const same: StartChange[] = [
          { schedule: '*/2 * * * *', concurrencyPolicy: policy, suspend: false, timeZone: null },
          { successfulJobsHistoryLimit: limit, failedJobsHistoryLimit: limit },
          { timeZone: 'Europe/Berlin' },
        ];
        const world = live(policy, drawn);
        for (const changed of same) {
          const { starts, unknown } = under(world, changed);
          expect(unknown).toBeNull();
          expect(starts.filter(({ result }) => result !== 'same')).toEqual([]);
          expect(starts.length).toBe(world.starts.length);
        }
      }),
      { numRuns: 20, seed: 7 },
    );
  });

  it('every recorded start is the same, although the record has errors of the API, a status that a user set, suspensions, other schedules and deleted Jobs', () => {
    const events = fc.array(
      fc.record({
        what: fc.constantFrom(
          'trouble',
          'overdue',
          'suspend',
          'schedule',
          'delete',
          'finish',
          'taken',
          'wait',
        ),
        minutes: fc.integer({ min: 1, max: 6 }),
        up: fc.boolean(),
      }),
      { maxLength: 10 },
    );
    fc.assert(
      fc.property(
        policies,
        events,
        fc.option(fc.integer({ min: 20, max: 200 })),
        (policy, drawn, deadline) => {
          const spec = { schedule: '*/2 * * * *', concurrencyPolicy: policy };
          const world = aWorld(
            { ...spec, ...(deadline !== null && { startingDeadlineSeconds: deadline }) },
            T0,
          );
          work(world);
          for (const { what, minutes, up } of drawn) {
            happen(world, what);
            const next = world.now + minutes * MINUTE;
            if (up) runUntil(world, next);
            world.now = next;
          }
          world.trouble = {};
          runUntil(world, world.now + 5 * MINUTE);
          const { starts, unknown } = under(world, {});
          expect(unknown).toBeNull();
          expect(starts.filter(({ result }) => result !== 'same')).toEqual([]);
          expect(starts.map(({ actual }) => actual.startedAt)).toEqual(
            world.starts.map(({ at }) => new Date(at).toISOString()),
          );
        },
      ),
      { numRuns: extent(25, 60), seed: 5 },
    );
  });
});

function happen(world: World, what: string): void {
  const running = [...world.jobs.values()].find(({ status }) => status?.conditions === undefined);
  const { spec, status = {} } = world.cronJob;
  if (what === 'trouble') world.trouble = Object.keys(world.trouble).length > 0 ? {} : { CreateJob: REFUSED };
  if (what === 'overdue') setStatus(world, { ...status, lastScheduleTime: iso(world.now - 10 * MINUTE) });
  if (what === 'suspend') change(world, { suspend: spec.suspend !== true });
  if (what === 'schedule')
    change(world, { schedule: spec.schedule === '*/2 * * * *' ? '*/3 * * * *' : '*/2 * * * *' });
  if (running !== undefined && what === 'delete') remove(world, running.metadata.name);
  if (running !== undefined && what === 'finish') finish(world, running.metadata.name);
  if (what === 'taken')
    observeJob(world, putJob(world, `tick-${Math.floor(world.now / 120_000) * 2 + 2}`, 'uid-of-another'));
}

function waits(clock: string): string {
  return `the start of 2026-03-01T${clock}:00.000Z waits for the running Job (Forbid)`;
}

function noTime(clock: string, schedule: string, next: string): string {
  return `2026-03-01T${clock}:00.000Z is not a time of its schedule "${schedule}": the next one is 2026-03-01T${next}:00.000Z`;
}

describe('in a what-if with another concurrency policy', () => {
  it('Allow instead of Forbid adds the starts that had waited, and makes delayed starts punctual', () => {
    expect(rows(under(ticking('Forbid', 25, '12:58'), { concurrencyPolicy: 'Allow' }))).toEqual([
      '12:10 same',
      `12:20 added it was not started: ${waits('12:20')}; then ${waits('12:30')}; then the Job of a later start was created at 2026-03-01T12:34:00.000Z instead: the start of 2026-03-01T12:30:00.000Z, 240 s late; about 1 before it were missed`,
      '12:30 earlier by 240 s',
      `12:40 added it was not started: ${waits('12:40')}; then ${waits('12:50')}; then the Job of a later start was created at 2026-03-01T12:58:00.000Z instead: the start of 2026-03-01T12:50:00.000Z, 480 s late; about 1 before it were missed`,
      '12:50 earlier by 480 s',
    ]);
  });

  it('Forbid instead of Allow omits the starts during a running Job', () => {
    expect(rows(under(ticking('Allow', 15, '12:58'), { concurrencyPolicy: 'Forbid' }))).toEqual([
      '12:10 same',
      '12:20 later by 240 s',
      '12:30 later by 480 s',
      `12:40 skipped ${waits('12:40')}; then ${waits('12:50')}; then the Job of a later start was created at 2026-03-01T12:52:00.000Z instead: the start of 2026-03-01T12:50:00.000Z, 120 s late; about 1 before it were missed`,
      '12:50 later by 120 s',
    ]);
  });

  it('Replace instead of Allow replaces the Jobs that still run', () => {
    expect(rows(under(ticking('Allow', 15, '12:38'), { concurrencyPolicy: 'Replace' }))).toEqual([
      '12:10 replaced replaced by tick-29539460 at 2026-03-01T12:20:00.000Z',
      '12:20 replaced replaced by tick-29539470 at 2026-03-01T12:30:00.000Z',
      '12:30 same',
    ]);
  });

  it('Allow instead of Replace keeps the Jobs that were replaced', () => {
    expect(rows(under(ticking('Replace', 15, '12:38'), { concurrencyPolicy: 'Allow' }))).toEqual([
      '12:10 kept not replaced by tick-29539460',
      '12:20 kept not replaced by tick-29539470',
      '12:30 same',
    ]);
  });

  it('Forbid instead of Replace has an unknown result from the first replaced Job that would have run longer', () => {
    const answer = under(ticking('Replace', 15, '12:38'), { concurrencyPolicy: 'Forbid' });
    expect(rows(answer)).toEqual([
      '12:10 kept not replaced by tick-29539460',
      '12:20 unknown nothing shows how long tick-29539450 would have run',
      '12:30 unknown nothing shows how long tick-29539450 would have run',
    ]);
    expect(answer.unknown).toEqual({
      since: '2026-03-01T12:20:00.000Z',
      message: 'nothing shows how long tick-29539450 would have run',
    });
  });
});

describe('a what-if with another schedule', () => {
  it('omits the times that a sparser schedule lacks', () => {
    expect(rows(under(ticking('Allow', 5, '12:48'), { schedule: '*/20 * * * *' }))).toEqual([
      `12:10 skipped ${noTime('12:10', '*/20 * * * *', '12:20')}`,
      '12:20 same',
      `12:30 skipped ${noTime('12:30', '*/20 * * * *', '12:40')}`,
      '12:40 same',
    ]);
  });

  it('adds the times of a denser schedule', () => {
    expect(rows(under(ticking('Allow', 5, '12:28'), { schedule: '*/5 * * * *' }))).toEqual([
      `12:05 added it was not started: ${noTime('12:05', '*/10 * * * *', '12:10')}`,
      '12:10 same',
      `12:15 added it was not started: ${noTime('12:15', '*/10 * * * *', '12:20')}`,
      '12:20 same',
    ]);
  });

  it('has an unknown result after an added start under Forbid, because the end of its Job is unknown', () => {
    const answer = under(ticking('Forbid', 5, '12:38'), { schedule: '*/5 * * * *' });
    expect(rows(answer)).toEqual([
      `12:05 added it was not started: ${noTime('12:05', '*/10 * * * *', '12:10')}`,
      '12:10 unknown nothing shows how long tick-29539445 would have run',
      '12:20 unknown nothing shows how long tick-29539445 would have run',
      '12:30 unknown nothing shows how long tick-29539445 would have run',
    ]);
    expect(answer.unknown).toEqual({
      since: '2026-03-01T12:10:00.000Z',
      message: 'nothing shows how long tick-29539445 would have run',
    });
  });

  it('shows an added start under Replace, but not whether its Job was replaced while it ran', () => {
    expect(rows(under(ticking('Replace', 5, '12:28'), { schedule: '*/5 * * * *' }))).toEqual([
      `12:05 added it was not started: ${noTime('12:05', '*/10 * * * *', '12:10')}; replaced by tick-29539450 at 2026-03-01T12:10:00.000Z, if it still ran`,
      '12:10 same',
      `12:15 added it was not started: ${noTime('12:15', '*/10 * * * *', '12:20')}; replaced by tick-29539460 at 2026-03-01T12:20:00.000Z, if it still ran`,
      '12:20 same',
    ]);
  });
});

describe('a what-if with another time zone', () => {
  it('shifts the starts, by a different amount after the clocks have changed (J-9.4)', () => {
    const world = aWorld({ schedule: '30 9 * * *', timeZone: 'Europe/Berlin' }, '2026-03-27T12:00:00Z');
    runUntil(world, time('2026-03-30T12:00:00Z'));
    const { starts } = under(world, { timeZone: 'Africa/Lagos' });
    expect(starts.map(({ scheduledAt, result }) => `${scheduledAt} ${result}`)).toEqual([
      '2026-03-28T08:30:00.000Z same',
      '2026-03-29T07:30:00.000Z skipped',
      '2026-03-29T08:30:00.000Z added',
      '2026-03-30T07:30:00.000Z skipped',
    ]);
  });
});

describe('a what-if with a starting deadline', () => {
  it('omits a start that was later than the deadline (J-9.34)', () => {
    const world = aWorld({ schedule: '*/10 * * * *' }, T0);
    until(world, '12:15:00');
    world.now = time('2026-03-01T12:22:00Z');
    until(world, '12:35:00');
    expect(rows(under(world, { startingDeadlineSeconds: 60 }))).toEqual([
      '12:10 same',
      '12:20 skipped the start of 2026-03-01T12:20:00.000Z is skipped: more than 60 s late; next start at 2026-03-01T12:30:00.000Z; then the Job of a later start was created at 2026-03-01T12:30:00.100Z instead: the start of 2026-03-01T12:30:00.000Z',
      '12:30 same',
    ]);
    expect(results(under(world, { startingDeadlineSeconds: 180 }))).toEqual([
      '12:10 same',
      '12:20 same',
      '12:30 same',
    ]);
  });
});

describe('a what-if with another value of suspend', () => {
  it('omits every start when the value is true', () => {
    expect(rows(under(ticking('Allow', 5, '12:28'), { suspend: true }))).toEqual([
      '12:10 skipped the CronJob is suspended',
      '12:20 skipped the CronJob is suspended',
    ]);
  });

  it('adds the due starts until the end of the record when the value is false', () => {
    const world = aWorld({ schedule: '*/10 * * * *', suspend: true }, T0);
    until(world, '12:15:00');
    setStatus(world, {});
    work(world);
    expect(rows(under(world, { suspend: false }))).toEqual([
      '12:10 added it was not started: the CronJob is suspended',
    ]);
  });
});

describe('an outage of the controller in a what-if', () => {
  it('delays the starts of another schedule that are due in the outage until its end', () => {
    const world = aWorld({ schedule: '*/10 * * * *' }, T0);
    until(world, '12:15:00');
    world.now = time('2026-03-01T12:27:00Z');
    until(world, '12:35:00');
    const answer = under(world, { schedule: '*/4 * * * *' });
    expect(
      answer.starts.map(({ scheduledAt, counterfactual }) => [
        scheduledAt.slice(11, 16),
        counterfactual?.startedAt,
      ]),
    ).toEqual([
      ['12:04', '2026-03-01T12:04:00.100Z'],
      ['12:08', '2026-03-01T12:08:00.100Z'],
      ['12:10', null],
      ['12:12', '2026-03-01T12:12:00.100Z'],
      ['12:16', '2026-03-01T12:16:00.100Z'],
      ['12:20', null],
      ['12:24', '2026-03-01T12:27:00.000Z'],
      ['12:28', '2026-03-01T12:28:00.100Z'],
      ['12:30', null],
    ]);
  });
});

describe('a value that the API server would reject in a what-if', () => {
  it.each<[string, StartChange, string]>([
    [
      'a schedule',
      { schedule: '99 * * * *' },
      'spec.schedule: "99 * * * *": end of range (99) above maximum (59): 99',
    ],
    [
      'a zone in the schedule',
      { schedule: 'TZ=UTC 9 * * * *' },
      'spec.schedule: cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
    ['an unknown zone', { timeZone: 'Moon/Base' }, 'spec.timeZone: unknown time zone Moon/Base'],
    [
      'the zone of the process',
      { timeZone: 'Local' },
      'spec.timeZone: timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    ],
  ])('is refused with the text of the API server: %s', (_what, changed, message) => {
    expect(whatIfStarts(ticking('Allow', 5, '12:18').stream, changed, zoneRules)).toEqual({
      refused: 'invalid',
      message,
    });
  });

  it('is refused when it is a time zone and the recorded schedule names its own zone', () => {
    const world = aWorld({ schedule: 'TZ=UTC 9 * * * *' }, T0);
    work(world);
    expect(whatIfStarts(world.stream, { timeZone: 'UTC' }, zoneRules)).toMatchObject({
      refused: 'invalid',
      message: 'spec.schedule: cannot use both timeZone field and TZ or CRON_TZ in schedule',
    });
  });
});

describe('the stream that a what-if reads', () => {
  it('gives no result when it is broken or has no decision', () => {
    const { stream } = ticking('Allow', 5, '12:18');
    expect(whatIfStarts(stream.slice(1), {}, zoneRules)).toMatchObject({ refused: 'broken' });
    expect(whatIfStarts(stream.slice(0, 1), {}, zoneRules)).toMatchObject({ refused: 'unknown' });
  });
});
