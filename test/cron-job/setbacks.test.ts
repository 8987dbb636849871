import { describe, expect, it } from '@jest/globals';
import { fold, type decide } from '../../workflows/cron-job/core.ts';
import type { CronOutcome } from '../../workflows/cron-job/outcomes.ts';
import type { CronJobFacts } from '../../workflows/cron-job/facts.ts';
import { cronJobFacts } from '../../workflows/cron-job/observe/compact.ts';
import { aWorld, change, decideOnce, deliver, time, UID, work, type World } from './world.ts';

const T0 = '2026-03-01T12:00:00Z';
type Kinds = ReturnType<typeof decide>['commands'][number]['kind'][];

/** Decides, has the command of the kind answered in one way, again and again without a pause; returns the decisions' commands. */
function answeredAlways(
  world: World,
  answer: (cronJob: CronJobFacts) => Omit<Exclude<CronOutcome, { kind: 'skipped' }>, 'at'>,
): Kinds[] {
  const all: Kinds[] = [];
  for (let round = 0; round < 50; round += 1) {
    deliver(world);
    const { decided } = decideOnce(world);
    if (decided === null) break;
    all.push(decided.data.commands.map(({ kind }) => kind));
    const outcome = { ...answer(cronJobFacts(world.cronJob)), at: world.now } as CronOutcome;
    const data = {
      cluster: 'east',
      cronJobUid: UID,
      decision: decided.id,
      command: 0,
      attempt: 1,
      outcome,
    };
    const event = {
      id: `answer-${round}`,
      digest: '',
      source: '',
      subject: '',
      type: 'outcome.recorded',
      data,
    } as const;
    if (decided.data.commands.length > 0) world.state = fold(world.state, [event]);
  }
  return all;
}

/** A Job is due. */
function due(): World {
  const world = aWorld({}, T0);
  work(world);
  world.now = time('2026-03-01T12:01:00.100Z');
  return world;
}

/** The status is to be written. */
function unwritten(): World {
  const world = due();
  world.trouble = { WriteStatus: { status: 500, reason: 'InternalError', message: 'no' } };
  work(world);
  world.trouble = {};
  world.now += 60_000 - 1000;
  return world;
}

describe('an outcome that reports no effect of a command', () => {
  it.each<[string, (cronJob: CronJobFacts) => Omit<Exclude<CronOutcome, { kind: 'skipped' }>, 'at'>]>([
    [
      'a conflict with the version that was known',
      (cronJob) => ({ kind: 'WriteStatus', result: 'conflict', cronJob }),
    ],
    [
      'a conflict with a lower version',
      (cronJob) => ({
        kind: 'WriteStatus',
        result: 'conflict',
        cronJob: { ...cronJob, resourceVersion: '1' },
      }),
    ],
    ['a write without an effect', (cronJob) => ({ kind: 'WriteStatus', result: 'written', cronJob })],
    [
      'a write that gives a lower version',
      (cronJob) => ({
        kind: 'WriteStatus',
        result: 'written',
        cronJob: { ...cronJob, resourceVersion: '1' },
      }),
    ],
  ])('delays the next decision: %s', (_title, answer) => {
    const kinds = answeredAlways(unwritten(), answer).flat();
    expect(kinds.filter((kind) => kind === 'WriteStatus')).toHaveLength(1);
  });

  it('delays the next decision when only the worker finds the start stale', () => {
    const kinds = answeredAlways(due(), (cronJob) => ({
      kind: 'stale',
      commandKind: 'CreateJob',
      why: 'late',
      cronJob,
    }));
    expect(kinds.flat()).toEqual(['CreateJob']);
  });

  it.each(['taken', 'failed'] as const)(
    'delays the next decision when the creation of a Job has the result %s',
    (result) => {
      const error = { status: 409, reason: 'AlreadyExists', message: 'exists' };
      const answer = result === 'taken' ? { result, by: 'which has no controller' } : { result, error };
      const kinds = answeredAlways(due(), () => ({ kind: 'CreateJob', ...answer }));
      expect(kinds.flat()).toEqual(['CreateJob']);
    },
  );
});

describe('a start that the worker reports as stale', () => {
  it('is decided again on the present CronJob', () => {
    const world = due();
    const late = structuredClone(world.cronJob);
    change(world, { suspend: true });
    const fresh = cronJobFacts(world.cronJob);
    world.inbox = [];
    world.cronJob = late;
    const kinds = answeredAlways(world, () => ({
      kind: 'stale',
      commandKind: 'CreateJob',
      why: 'changed',
      cronJob: fresh,
    }));
    expect(kinds).toEqual([['CreateJob'], []]);
    expect(world.state.waiting).toMatchObject({ message: 'the CronJob is suspended' });
  });

  it('is recognised by the preconditions of its command: the generation, and the end of the starting deadline', () => {
    const world = aWorld({ startingDeadlineSeconds: 10 }, T0);
    work(world);
    world.now = time('2026-03-01T12:01:00.100Z');
    const [creation] = decideOnce(world).decided?.data.commands ?? [];
    expect(creation).toMatchObject({
      preconditions: { generation: 1, deadline: time('2026-03-01T12:01:10Z') },
    });
  });
});
