import { describe, expect, it } from '@jest/globals';
import { isRefused } from '../../workflows/history/refused.ts';
import { whyStart } from '../../workflows/history/why-start/why-start.ts';
import type { Why } from '../../workflows/history/why/types.ts';
import {
  aWorld,
  change,
  finish,
  observe,
  observeJob,
  putJob,
  REFUSED,
  runUntil,
  time,
  vanish,
  work,
  type World,
} from '../cron-job/world.ts';

const T0 = '2026-03-01T12:00:00Z';
const T1 = '2026-03-01T12:01:00Z';
const T2 = '2026-03-01T12:02:00Z';

function asked(world: World, at: string): Why {
  const answer = whyStart(world.stream, time(at));
  if (isRefused(answer)) throw new Error(answer.message);
  return answer;
}

function answersIn({ answers }: Why): Record<string, string> {
  return Object.fromEntries(answers.map(({ question, message }) => [question, message]));
}

/** The words of the causes of an answer, and of their causes. */
function findCauses({ answers, causes }: Why, question: string): string[] {
  const found = answers.find((each) => each.question === question)?.because ?? [];
  const direct = causes.filter(({ id }) => found.includes(id));
  const facts = direct.flatMap(({ because }) => causes.filter(({ id }) => because.includes(id)));
  return [...direct, ...facts].map(({ about, message }) => `${about}: ${message}`);
}

describe('the explanation of a start that happened', () => {
  it('names the Job of the start, the rule, and how the Job ended (J-9.38)', () => {
    const world = aWorld({}, T0);
    runUntil(world, time('2026-03-01T12:01:10Z'));
    finish(world, 'tick-29539441', 'Failed');
    const why = asked(world, T1);
    expect(why).toMatchObject({ job: 'east/default/tick', about: 'the start of 2026-03-01T12:01:00.000Z' });
    expect(answersIn(why)).toEqual({
      'its Job': 'tick-29539441',
      'why it was created': 'the start of 2026-03-01T12:01:00.000Z',
      'how its Job ended': 'Failed',
    });
    expect(why.causes.find(({ rule }) => rule === 'J-9.38')?.because).toEqual([]);
  });

  it('gives no reason for a start before Jobledger first saw the CronJob', () => {
    const world = aWorld({}, T0, '2026-03-01T12:02:10Z');
    observeJob(world, putJob(world, 'tick-29539441'));
    runUntil(world, time('2026-03-01T12:04:30Z'));
    const message =
      'Jobledger decides about the CronJob only since 2026-03-01T12:02:10.000Z; the reasons of an earlier controller are not recorded';
    expect(answersIn(asked(world, T1))).toEqual({
      'its Job': 'tick-29539441, which Jobledger did not create',
      'why it was created': message,
    });
    const without = aWorld({}, T0, '2026-03-01T12:02:10Z');
    runUntil(without, time('2026-03-01T12:04:30Z'));
    const none = asked(without, T1);
    expect(answersIn(none)).toEqual({
      'why no Job was created': `${message}, and no Job of this start was seen`,
    });
    expect(none.waits).toEqual([]);
    expect(answersIn(asked(world, '2026-03-01T12:03:00Z'))['its Job']).toBe('tick-29539443');
  });

  it('says that another controller decides if Jobledger only observes the CronJob', () => {
    const world = aWorld({}, T0);
    expect(answersIn(asked(world, T1))).toEqual({
      'who decided about the start':
        'Jobledger observes the CronJob, but does not control it; the reasons of its controller are not recorded',
    });
  });

  it('explains that the start was late because an earlier Job ran (J-9.36), and that the end of that Job led to the start', () => {
    const world = aWorld({ concurrencyPolicy: 'Forbid' }, T0);
    runUntil(world, time('2026-03-01T12:02:30Z'));
    finish(world, 'tick-29539441');
    work(world);
    const why = asked(world, T2);
    expect(answersIn(why)).toMatchObject({
      'why it was created': 'the start of 2026-03-01T12:02:00.000Z, 30 s late',
      'why it was late': 'the start of 2026-03-01T12:02:00.000Z waits for the running Job (Forbid)',
    });
    expect(findCauses(why, 'why it was created')).toContain('job tick-29539441: Complete');
    expect(why.waits).toMatchObject([
      { since: '2026-03-01T12:02:00.100Z', until: '2026-03-01T12:02:30.000Z', rule: 'J-9.36' },
    ]);
  });

  it('explains that the start was late because the controller did not run and made no decision (J-9.40)', () => {
    const world = aWorld({}, T0);
    work(world);
    world.now = time('2026-03-01T12:03:30Z');
    work(world);
    expect(answersIn(asked(world, '2026-03-01T12:03:00Z'))).toMatchObject({
      'why it was created': 'the start of 2026-03-01T12:03:00.000Z, 30 s late; about 2 before it were missed',
      'why it was late':
        'nothing was decided from 2026-03-01T12:00:00.000Z to 2026-03-01T12:03:30.000Z: the controller did not run, or was behind',
    });
  });

  it('explains that the start was late because the API refused it (J-9.10)', () => {
    const world = aWorld({}, T0);
    world.trouble = { CreateJob: REFUSED };
    runUntil(world, time('2026-03-01T12:01:05Z'));
    world.trouble = {};
    runUntil(world, time('2026-03-01T12:01:59Z'));
    expect(answersIn(asked(world, T1))['why it was late']).toMatch(
      /^no CreateJob before .*: errors of the API: 1, the last: no; then no CreateJob before/,
    );
  });

  it('explains that the start was late because the CronJob was suspended (J-9.32, J-9.49)', () => {
    const world = aWorld({ suspend: true, schedule: '@hourly' }, T0);
    runUntil(world, time('2026-03-01T13:30:00Z'));
    change(world, { suspend: false });
    work(world);
    const why = asked(world, '2026-03-01T13:00:00Z');
    expect(answersIn(why)['why it was late']).toBe('the CronJob is suspended');
    expect(findCauses(why, 'why it was created')).toContain('cronjob: suspend true → false');
  });

  it('reports the earlier Job that the start replaced, and the command that replaced it (J-9.37)', () => {
    const world = aWorld({ concurrencyPolicy: 'Replace' }, T0);
    runUntil(world, time('2026-03-01T12:02:30Z'));
    expect(answersIn(asked(world, T2))['what it replaced']).toBe('tick-29539441');
    expect(answersIn(asked(world, T1))['why its Job was deleted']).toBe(
      'replaced by the start of 2026-03-01T12:02:00.000Z',
    );
  });

  it('reports that no outcome is recorded yet', () => {
    const world = aWorld({}, T0);
    runUntil(world, time('2026-03-01T12:01:10Z'));
    const at = world.stream.findIndex(
      (event) => event.type === 'outcome.recorded' && event.data.outcome.kind === 'CreateJob',
    );
    world.stream = world.stream.slice(0, at);
    expect(answersIn(asked(world, T1))['its Job']).toBe(
      'tick-29539441 was to be created; no outcome is recorded',
    );
  });

  it('reports that the Job was found because an earlier attempt had created it (J-9.38)', () => {
    const world = aWorld({}, T0);
    work(world);
    observeJob(world, putJob(world, 'tick-29539441'));
    runUntil(world, time('2026-03-01T12:01:10Z'));
    expect(answersIn(asked(world, T1))['its Job']).toMatch(/^tick-29539441 existed already/);
  });
});

describe('the explanation of a start that did not happen', () => {
  const question = 'why no Job was created';

  it('explains that the start was skipped because it was later than the deadline (J-9.34)', () => {
    const world = aWorld({ schedule: '@hourly', startingDeadlineSeconds: 60 }, T0);
    work(world);
    world.now = time('2026-03-01T13:05:00Z');
    work(world);
    const why = asked(world, '2026-03-01T13:00:00Z');
    expect(answersIn(why)[question]).toBe(
      'the start of 2026-03-01T13:00:00.000Z is skipped: more than 60 s late; next start at 2026-03-01T14:00:00.000Z',
    );
    expect(why.causes.map(({ rule }) => rule)).toContain('J-9.34');
  });

  it('explains that the controller chose a later start at the end of the running Job (J-9.36, J-9.40)', () => {
    const world = aWorld({ concurrencyPolicy: 'Forbid' }, T0);
    runUntil(world, time('2026-03-01T12:03:30Z'));
    finish(world, 'tick-29539441');
    work(world);
    // What is waited for after the later start has nothing to do with it.
    runUntil(world, time('2026-03-01T12:05:30Z'));
    const why = asked(world, T2);
    expect(answersIn(why)[question]).toBe(
      'the start of 2026-03-01T12:02:00.000Z waits for the running Job (Forbid); then ' +
        'the start of 2026-03-01T12:03:00.000Z waits for the running Job (Forbid); then ' +
        'the Job of a later start was created at 2026-03-01T12:03:30.000Z instead: the start of 2026-03-01T12:03:00.000Z, 30 s late; about 1 before it were missed',
    );
  });

  it('names a suspension that was decided long before the start (J-9.32)', () => {
    const world = aWorld({ suspend: true }, T0);
    runUntil(world, time('2026-03-01T12:05:00Z'));
    const why = asked(world, T1);
    expect(answersIn(why)[question]).toBe('the CronJob is suspended');
    expect(why.waits).toMatchObject([{ until: null, rule: 'J-9.32' }]);
  });

  it('reports that a Job of another controller has the name of the start (J-9.38)', () => {
    const world = aWorld({}, T0);
    putJob(world, 'tick-29539441', 'another');
    runUntil(world, time('2026-03-01T12:01:30Z'));
    expect(answersIn(asked(world, T1))[question]).toMatch(
      /^a Job of another controller has the name of its Job; then the start of .* is left out/,
    );
  });

  it('explains that the schedule does not have the time, in the zone of the CronJob (J-9.4)', () => {
    const world = aWorld({ schedule: '30 9 * * *', timeZone: 'Europe/Berlin' }, T0);
    runUntil(world, time('2026-03-03T12:00:00Z'));
    expect(answersIn(asked(world, '2026-03-02T09:30:00Z'))[question]).toBe(
      '2026-03-02T09:30:00.000Z is not a time of its schedule "30 9 * * *": the next one is 2026-03-03T08:30:00.000Z',
    );
    expect(answersIn(asked(world, '2026-03-02T08:30:00Z'))['its Job']).toBe('tick-29540670');
  });

  it('explains that the CronJob was not created yet, or was deleted', () => {
    const world = aWorld({}, T0);
    observe(world);
    work(world);
    world.now = time(T1) - 1000;
    vanish(world);
    expect(answersIn(asked(world, '2026-03-01T11:59:00Z'))[question]).toMatch(
      /^the CronJob was created later/,
    );
    expect(answersIn(asked(world, T1))[question]).toBe(
      'the CronJob had been deleted at 2026-03-01T12:00:59.000Z',
    );
  });

  it('explains that the time is in the future, or that the controller does not run', () => {
    const world = aWorld({}, T0);
    work(world);
    expect(answersIn(asked(world, T1))[question]).toBe('nothing was decided after 2026-03-01T12:01:00Z');
  });

  it('explains that a time of the schedule is not due yet', () => {
    const world = aWorld({}, T0);
    work(world);
    const message = (at: string): string | undefined => {
      const answer = whyStart(world.stream, time(at), time(T1) - 1);
      return isRefused(answer) ? answer.message : answer.answers[0]?.message;
    };
    expect(message(T1)).toBe('2026-03-01T12:01:00.000Z is not due yet');
    expect(message('2026-03-01T12:01:30Z')).toMatch(/ is not a time of its schedule /);
  });

  it('is refused for a stream that lacks a record', () => {
    const world = aWorld({}, T0);
    runUntil(world, time('2026-03-01T12:02:10Z'));
    expect(whyStart(world.stream.slice(1), time(T1))).toMatchObject({ refused: 'broken' });
    expect(whyStart([], time(T1))).toMatchObject({ refused: 'unknown' });
  });
});
