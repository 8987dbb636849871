import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { compact, decide, fold, INITIAL_STATE } from '../../workflows/cron-job/core.ts';
import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import { live, liveThrough, mishaps, moves, policies } from './life.ts';
import { aWorld, change, iso, replayed, work, type World } from './world.ts';
import { extent } from '../support/extent.ts';

jest.setTimeout(120_000);

const OPTIONS = { numRuns: extent(30, 60), seed: 23 };
const MINUTE = 60_000;

/** Schedules of whole hours and quarters: sets of minutes and hours, and weekdays where they are not all. */
interface Plain {
  minutes: number[];
  hours: number[];
  weekdays: number[] | null;
}

const plains = fc.record<Plain>({
  minutes: fc.subarray([0, 15, 30, 45], { minLength: 1 }),
  hours: fc.subarray([0, 1, 2, 3, 9, 23], { minLength: 1 }),
  weekdays: fc.option(fc.subarray([0, 1, 6], { minLength: 1 })),
});
const zones = fc.constantFrom(
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Africa/Casablanca',
  'UTC',
);
/** Days around which clocks change somewhere, and one of no change. */
const days = fc.constantFrom(
  '2026-03-28',
  '2026-10-24',
  '2026-03-07',
  '2026-10-31',
  '2026-02-14',
  '2026-07-01',
);

function plainSchedule({ minutes, hours, weekdays }: Plain): string {
  return `${minutes.join(',')} ${hours.join(',')} * * ${weekdays?.join(',') ?? '*'}`;
}

/** The model: a minute is a time of the schedule when the clocks of the zone show one, found minute by minute by Intl. */
function isTime(plain: Plain, show: Intl.DateTimeFormat, instant: number): boolean {
  const part = new Map(show.formatToParts(instant).map(({ type, value }) => [type, value]));
  const weekday = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].indexOf(part.get('weekday') ?? '');
  return (
    plain.minutes.includes(Number(part.get('minute'))) &&
    plain.hours.includes(Number(part.get('hour'))) &&
    (plain.weekdays === null || plain.weekdays.includes(weekday))
  );
}

function zoneClocks(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'short',
    hour: 'numeric',
    minute: 'numeric',
  });
}

/** All times in a period; quarters of an hour suffice, since every offset is one of quarters. */
function timesIn(plain: Plain, zone: string, after: number, upTo: number): number[] {
  const show = zoneClocks(zone);
  const times: number[] = [];
  for (let at = Math.floor(after / (15 * MINUTE)) * 15 * MINUTE; at <= upTo; at += 15 * MINUTE)
    if (at > after && isTime(plain, show, at)) times.push(at);
  return times;
}

/**
 * The most recent of the missed times. The rule looks for it from an instant that it estimates with the first interval; where
 * intervals differ, no time may be left (J-9.40).
 */
function mostRecentStart(times: number[], woken: number): number | undefined {
  const [first, second] = times;
  if (first === undefined || second === undefined) return first;
  const gap = second - first;
  const estimate = first + (Math.floor((woken - first) / gap) - 1) * gap;
  return times.filter((time) => time > estimate).at(-1);
}

/** Up for some minutes, then down for some. */
const periods = fc.array(
  fc.record({ up: fc.integer({ min: 1, max: 900 }), down: fc.integer({ min: 1, max: 1500 }) }),
  { minLength: 1, maxLength: 3 },
);

/** Runs while the controller is up; it wakes when it asked for it, and at the end of an outage. */
function runUp(world: World, end: number): void {
  for (let again = work(world); again !== null && again < end; again = work(world))
    world.now = Math.max(again, world.now);
  world.now = end;
}

describe('the starts of a CronJob, compared with a model of the rules,', () => {
  it('include every time while the controller is up and the most recent time after an outage, and no time twice (J-9.4, J-9.40)', () => {
    fc.assert(
      fc.property(
        plains,
        zones,
        days,
        fc.option(fc.integer({ min: 1, max: 40_000 })),
        periods,
        (plain, zone, day, deadline, drawn) => {
          const created = Date.parse(`${day}T12:07:00Z`);
          const world = aWorld(
            {
              schedule: plainSchedule(plain),
              timeZone: zone,
              ...(deadline !== null && { startingDeadlineSeconds: deadline }),
            },
            iso(created),
          );
          const expected: number[] = [];
          for (const { up, down } of drawn) {
            const woken = world.now;
            const since = expected.at(-1) ?? created;
            const earliest = deadline === null ? since : Math.max(since, woken - deadline * 1000);
            const missed = mostRecentStart(timesIn(plain, zone, earliest, woken), woken);
            if (missed !== undefined) expected.push(missed);
            const end = woken + up * MINUTE;
            expected.push(...timesIn(plain, zone, woken, end - 101));
            runUp(world, end);
            world.now += down * MINUTE;
          }
          expect(world.starts.map(({ scheduledAt }) => iso(scheduledAt))).toEqual(expected.map(iso));
          expect(replayed(world.stream).differing).toEqual([]);
        },
      ),
      OPTIONS,
    );
  });

  it('follow a new schedule or time zone from its change on (J-9.11)', () => {
    fc.assert(
      fc.property(
        plains,
        plains,
        zones,
        zones,
        days,
        fc.integer({ min: 1, max: 2000 }),
        (one, other, zone, second, day, when) => {
          fc.pre(plainSchedule(one) !== plainSchedule(other) || zone !== second);
          const created = Date.parse(`${day}T12:07:00Z`);
          const world = aWorld({ schedule: plainSchedule(one), timeZone: zone }, iso(created));
          const changed = created + when * MINUTE;
          runUp(world, changed);
          change(world, { schedule: plainSchedule(other), timeZone: second });
          const end = changed + 1500 * MINUTE;
          runUp(world, end);
          expect(world.starts.map(({ scheduledAt }) => iso(scheduledAt))).toEqual(
            [
              ...timesIn(one, zone, created, changed - 101),
              ...timesIn(other, second, changed, end - 101),
            ].map(iso),
          );
        },
      ),
      OPTIONS,
    );
  });
});

function streamFacts({ stream }: World): CronJobEvent[] {
  return stream.filter(({ type }) => type.endsWith('.observed') || type.endsWith('.deleted'));
}

function foldAll(events: readonly CronJobEvent[]): ReturnType<typeof fold> {
  return fold(
    INITIAL_STATE,
    events.flatMap((event) => compact(event) ?? []),
  );
}

describe('in generated streams of a CronJob,', () => {
  it('a stream folded again gives the same state and the same decisions, each before its commands', () => {
    fc.assert(
      fc.property(policies, moves, (policy, drawn) => {
        const world = live(policy, drawn);
        expect(replayed(world.stream).differing).toEqual([]);
        const decided = new Set<string>();
        for (const event of world.stream) {
          if (event.type === 'cronjob.decided') decided.add(event.id);
          if (event.type === 'outcome.recorded') expect(decided).toContain(event.data.decision);
        }
        expect(new Set(world.starts.map(({ name }) => name)).size).toBe(world.starts.length);
        expect(JSON.parse(JSON.stringify(world.state))).toEqual(world.state);
      }),
      OPTIONS,
    );
  });

  it('no time is started twice, and Forbid never has two Jobs, whichever requests get no answer (J-9.36, J-9.38)', () => {
    fc.assert(
      fc.property(policies, mishaps, (policy, drawn) => {
        const world = liveThrough(policy, drawn);
        expect(new Set(world.starts.map(({ name }) => name)).size).toBe(world.starts.length);
        if (policy === 'Forbid') expect(world.mostActive).toBeLessThanOrEqual(1);
        expect(replayed(world.stream).differing).toEqual([]);
      }),
      { ...OPTIONS, numRuns: extent(50, 100) },
    );
  });

  it('repeated facts do not change the state, and cause no further command', () => {
    fc.assert(
      fc.property(policies, moves, fc.nat(), (policy, drawn, place) => {
        const world = live(policy, drawn);
        expect(decide(world.state, world.now, world.settings).commands).toEqual([]);
        const facts = streamFacts(world);
        const repeated = facts[place % facts.length];
        const event = repeated === undefined ? null : compact(repeated);
        expect(event === null ? null : fold(world.state, [event])).toEqual(world.state);
      }),
      OPTIONS,
    );
  });

  it('the state does not depend on the order of facts of the CronJob and of its Jobs', () => {
    fc.assert(
      fc.property(policies, moves, (policy, drawn) => {
        const world = live(policy, drawn);
        const facts = streamFacts(world);
        const ofCronJob = facts.filter(({ type }) => type.startsWith('cronjob.'));
        const ofJobs = facts.filter(({ type }) => type.startsWith('job.'));
        const [one, other] = [
          [...ofCronJob, ...ofJobs],
          [...ofJobs, ...ofCronJob],
        ].map((events) => ({ ...foldAll(events), folded: [] }));
        expect(other).toEqual(one);
      }),
      OPTIONS,
    );
  });
});
