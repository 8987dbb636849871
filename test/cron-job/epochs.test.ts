import { describe, expect, it } from '@jest/globals';
import { childFacts } from '../../workflows/cron-job/observe/compact.ts';
import {
  answered,
  aWorld,
  decideOnce,
  deliver,
  finish,
  iso,
  loseStart,
  observe,
  observeJob,
  putJob,
  remove,
  replayed,
  restore,
  runUntil,
  setStatus,
  time,
  UID,
  vanish,
  work,
  type World,
} from './world.ts';

const T0 = '2026-03-01T12:00:00Z';

/** A CronJob of every minute that has run for five, on an API server that is then restored from a copy of minute two. */
function restored(): World {
  const world = aWorld({ successfulJobsHistoryLimit: 10 }, T0);
  runUntil(world, time('2026-03-01T12:02:30Z'));
  const copy = structuredClone({ cronJob: world.cronJob, jobs: world.jobs, version: world.version });
  runUntil(world, time('2026-03-01T12:05:30Z'));
  restore(world, copy);
  return world;
}

describe('a CronJob on an API server that was restored from an older copy', () => {
  it('is observed again, although its versions are lower than before', () => {
    const world = restored();
    world.cronJob = { ...world.cronJob, spec: { ...world.cronJob.spec, suspend: true } };
    observe(world);
    work(world);
    expect(world.state.waiting).toMatchObject({ rule: 'J-9.32', message: 'the CronJob is suspended' });
    expect(replayed(world.stream).differing).toEqual([]);
  });

  it('repeats no start, because the last start in the ledger counts and is written to the status', () => {
    const world = restored();
    observe(world);
    work(world);
    expect(world.cronJob.status?.lastScheduleTime).toBe('2026-03-01T12:05:00Z');
    runUntil(world, time('2026-03-01T12:06:30Z'));
    const times = world.starts.map(({ scheduledAt }) => new Date(scheduledAt).toISOString().slice(11, 16));
    expect(times).toEqual(['12:01', '12:02', '12:03', '12:04', '12:05', '12:06']);
    expect(replayed(world.stream).differing).toEqual([]);
  });

  it('has again the Jobs of the copy: Jobs that ended, and Jobs that Jobledger had deleted', () => {
    const world = restored();
    observe(world);
    for (const job of world.jobs.values()) observeJob(world, job);
    work(world);
    finish(world, 'tick-29539442');
    work(world);
    expect(world.state.children['uid-of-tick-29539442']?.finished).toBe('Complete');
  });

  it('is not changed by objects that were read before the restore', () => {
    const world = restored();
    observe(world);
    work(world);
    const [before, last] = [world.state, world.version];
    world.epoch = 0;
    world.version = 900_000;
    setStatus(world, {});
    work(world);
    world.epoch = 1;
    world.version = last;
    expect(world.state.cronJob).toEqual(before.cronJob);
  });

  it('does not repeat a start whose result before the restore is unknown', () => {
    const world = aWorld({}, T0);
    const copy = loseStart(world);
    expect(world.state.unknown).toMatchObject({ scheduledAt: '2026-03-01T12:03:00Z' });
    world.unseen = null;
    restore(world, copy);
    observe(world);
    runUntil(world, time('2026-03-01T12:03:50Z'));
    expect(world.state.waiting?.message).toContain('whether it created the Job tick-29539443 before');
    runUntil(world, time('2026-03-01T12:04:30Z'));
    const times = world.starts.map(({ scheduledAt }) => new Date(scheduledAt).toISOString().slice(11, 16));
    expect(times).toEqual(['12:01', '12:02', '12:03', '12:04']);
    const left = world.emitted.filter((each) => each.includes('StartNotProven'));
    expect(left).toEqual([
      'Warning StartNotProven: the start of 2026-03-01T12:03:00.000Z is left out: whether it created the Job tick-29539443 before the API server was restored is not known',
    ]);
    expect(replayed(world.stream).differing).toEqual([]);
  });

  it('does not repeat a start whose outcome arrives after the restore, or never', () => {
    for (const hasOutcome of [true, false]) {
      const world = aWorld({}, T0);
      runUntil(world, time('2026-03-01T12:02:30Z'));
      const copy = structuredClone({ cronJob: world.cronJob, jobs: world.jobs, version: world.version });
      world.now = time('2026-03-01T12:03:00.200Z');
      const { decided } = decideOnce(world);
      expect(decided?.data.commands[0]?.kind).toBe('CreateJob');
      restore(world, copy);
      observe(world);
      deliver(world);
      const outcome = { kind: 'CreateJob', result: 'unknown', after: '103', at: world.now } as const;
      if (hasOutcome) answered(world, decided, outcome);
      runUntil(world, time('2026-03-01T12:04:30Z'));
      const times = world.starts.map(({ scheduledAt }) => new Date(scheduledAt).toISOString().slice(11, 16));
      expect(times).toEqual(['12:01', '12:02', '12:04']);
    }
  });

  it('starts Jobs again when it was deleted after the copy, also when a Job of the CronJob is observed first', () => {
    for (const isChildFirst of [false, true]) {
      const world = aWorld({}, T0);
      runUntil(world, time('2026-03-01T12:02:30Z'));
      const copy = structuredClone({ cronJob: world.cronJob, jobs: world.jobs, version: world.version });
      vanish(world);
      work(world);
      expect(world.state.gone).toBe(true);
      restore(world, copy);
      const [child] = world.jobs.values();
      if (isChildFirst && child !== undefined) observeJob(world, child);
      observe(world);
      runUntil(world, time('2026-03-01T12:03:30Z'));
      expect(world.starts.map(({ name }) => name)).toContain('tick-29539443');
    }
  });

  it('exists in the state, although an older response reported it as deleted', () => {
    const world = aWorld({}, T0);
    runUntil(world, time('2026-03-01T12:02:30Z'));
    const copy = structuredClone({ cronJob: world.cronJob, jobs: world.jobs, version: world.version });
    world.now = time('2026-03-01T12:03:00.200Z');
    const { decided } = decideOnce(world);
    restore(world, copy);
    observe(world);
    deliver(world);
    answered(world, decided, { kind: 'CreateJob', result: 'gone', at: world.now });
    expect(world.state.gone).toBe(false);
  });

  it('has the Job of a start without a response if the copy has the Job, and no other Job runs beside it', () => {
    for (const concurrencyPolicy of ['Forbid', 'Replace'] as const)
      for (const isChildFirst of [false, true]) {
        const world = aWorld({ concurrencyPolicy }, T0);
        world.unseen = [];
        world.creation = 'lost and gone';
        world.now = time('2026-03-01T12:01:00.200Z');
        work(world);
        expect(world.state.unknown).toMatchObject({ scheduledAt: '2026-03-01T12:01:00Z' });
        putJob(world, 'tick-29539441');
        const copy = structuredClone({ cronJob: world.cronJob, jobs: world.jobs, version: world.version });
        world.unseen = null;
        restore(world, copy);
        const [child] = world.jobs.values();
        if (child === undefined) throw new Error('the copy has no Job');
        if (isChildFirst) observeJob(world, child);
        observe(world);
        work(world);
        if (!isChildFirst) observeJob(world, child);
        runUntil(world, time('2026-03-01T12:01:30Z'));
        expect(world.cronJob.status?.active?.map(({ name }) => name)).toEqual(['tick-29539441']);
        runUntil(world, time('2026-03-01T12:02:30Z'));
        expect(world.mostActive).toBe(1);
        expect(replayed(world.stream).differing).toEqual([]);
      }
  });

  it('has again a Job that was deleted after the copy, although an older response reported that Job as deleted', () => {
    const world = aWorld({ concurrencyPolicy: 'Replace' }, T0);
    runUntil(world, time('2026-03-01T12:01:30Z'));
    const copy = structuredClone({ cronJob: world.cronJob, jobs: world.jobs, version: world.version });
    world.now = time('2026-03-01T12:02:00.200Z');
    const { decided } = decideOnce(world);
    expect(decided?.data.commands).toMatchObject([{ kind: 'ReplaceJobs' }, { kind: 'CreateJob' }]);
    restore(world, copy);
    observe(world);
    for (const job of world.jobs.values()) observeJob(world, job);
    deliver(world);
    const at = world.now;
    const deleted = { uid: 'uid-of-tick-29539441', name: 'tick-29539441', result: 'done' } as const;
    answered(world, decided, { kind: 'ReplaceJobs', jobs: [deleted], at });
    answered(world, decided, { kind: 'CreateJob', result: 'unknown', after: '110', at }, 1);
    runUntil(world, time('2026-03-01T12:02:30Z'));
    expect(world.cronJob.status?.active?.map(({ name }) => name)).toEqual(['tick-29539441']);
    runUntil(world, time('2026-03-01T12:03:30Z'));
    expect([...world.jobs.keys()]).toEqual(['tick-29539443']);
  });

  it('has again a Job that a look-up before the restore did not find', () => {
    const world = aWorld({ concurrencyPolicy: 'Forbid' }, T0);
    runUntil(world, time('2026-03-01T12:01:30Z'));
    const copy = structuredClone({ cronJob: world.cronJob, jobs: world.jobs, version: world.version });
    remove(world, 'tick-29539441');
    deliver(world);
    const { decided } = decideOnce(world);
    expect(decided?.data.commands).toMatchObject([{ kind: 'LookUpJobs' }]);
    restore(world, copy);
    observe(world);
    for (const job of world.jobs.values()) observeJob(world, job);
    deliver(world);
    const jobs = [{ uid: 'uid-of-tick-29539441', name: 'tick-29539441', result: 'gone' }] as const;
    answered(world, decided, { kind: 'LookUpJobs', jobs: [...jobs], at: world.now });
    runUntil(world, time('2026-03-01T12:02:30Z'));
    expect(world.mostActive).toBe(1);
  });

  it('reports a start whose result cannot be known, also when the restore ends after the deadline of that start, or after the next start is due', () => {
    for (const startingDeadlineSeconds of [10, undefined]) {
      const world = aWorld(startingDeadlineSeconds === undefined ? {} : { startingDeadlineSeconds }, T0);
      const copy = loseStart(world);
      world.unseen = null;
      restore(world, copy);
      world.now = time('2026-03-01T12:05:20Z');
      observe(world);
      runUntil(world, time('2026-03-01T12:07:30Z'));
      const left = world.emitted.filter((each) => each.includes('StartNotProven'));
      expect(left).toEqual([expect.stringContaining('the start of 2026-03-01T12:03:00.000Z is left out')]);
      expect(replayed(world.stream).differing).toEqual([]);
    }
  });

  it('starts no Job before its restored version is observed, because its status may list a Job that runs again', () => {
    const world = aWorld({ concurrencyPolicy: 'Forbid' }, T0);
    runUntil(world, time('2026-03-01T12:01:10Z'));
    const copy = structuredClone({ cronJob: world.cronJob, jobs: world.jobs, version: world.version });
    finish(world, 'tick-29539441');
    runUntil(world, time('2026-03-01T12:02:10Z'));
    finish(world, 'tick-29539442');
    runUntil(world, time('2026-03-01T12:02:50Z'));
    restore(world, copy);
    observeJob(world, putJob(world, 'other', 'another-uid'));
    world.now = time('2026-03-01T12:03:01Z');
    work(world);
    observe(world);
    for (const job of world.jobs.values()) observeJob(world, job);
    runUntil(world, time('2026-03-01T12:03:50Z'));
    expect(world.mostActive).toBe(1);
    finish(world, 'tick-29539441');
    work(world);
    expect(world.starts.map(({ name }) => name)).toContain('tick-29539443');
  });

  it('does not wait for a Job that it had created, that no watch has shown, and that the copy lacks', () => {
    for (const isListed of [false, true]) {
      const world = aWorld({ concurrencyPolicy: 'Forbid' }, T0);
      const copy = structuredClone({ cronJob: world.cronJob, jobs: world.jobs, version: world.version });
      world.unseen = [];
      world.now = time('2026-03-01T12:01:00.200Z');
      if (isListed) work(world);
      else {
        deliver(world);
        const { decided } = decideOnce(world);
        const createdAt = iso(world.now);
        const job = childFacts(putJob(world, 'tick-29539441'), UID);
        answered(world, decided, { kind: 'CreateJob', result: 'created', job, createdAt, at: world.now });
      }
      world.unseen = null;
      restore(world, copy);
      observe(world);
      runUntil(world, time('2026-03-01T12:02:30Z'));
      expect(world.starts.map(({ name }) => name)).toContain('tick-29539442');
      expect(world.emitted.filter((each) => each.includes('UnexpectedJob'))).toEqual([]);
      expect(Object.keys(world.state.children)).toEqual(['uid-of-tick-29539442']);
    }
  });

  it('lists a Job again that exists in the copy and is missing in the status of the copy', () => {
    for (const concurrencyPolicy of ['Forbid', 'Replace'] as const)
      for (const isChildFirst of [false, true]) {
        const world = aWorld({ concurrencyPolicy }, T0);
        const { cronJob } = structuredClone(world);
        runUntil(world, time('2026-03-01T12:01:10Z'));
        const copy = structuredClone({ cronJob, jobs: world.jobs, version: 101 });
        runUntil(world, time('2026-03-01T12:01:30Z'));
        restore(world, copy);
        const [child] = world.jobs.values();
        if (child === undefined) throw new Error('the copy has no Job');
        if (isChildFirst) observeJob(world, child);
        observe(world);
        work(world);
        if (!isChildFirst) observeJob(world, child);
        work(world);
        expect(world.cronJob.status?.active?.map(({ name }) => name)).toEqual(['tick-29539441']);
        runUntil(world, time('2026-03-01T12:02:30Z'));
        expect(world.mostActive).toBe(1);
        expect(world.emitted.filter((each) => each.includes('UnexpectedJob'))).toEqual([]);
        expect(replayed(world.stream).differing).toEqual([]);
      }
  });

  it('lists a Job again also when the Job was deleted after the copy, and whichever event comes first', () => {
    for (const isChildFirst of [false, true]) {
      const world = aWorld({ concurrencyPolicy: 'Forbid' }, T0);
      const { cronJob } = structuredClone(world);
      runUntil(world, time('2026-03-01T12:01:10Z'));
      const copy = structuredClone({ cronJob, jobs: world.jobs, version: 101 });
      finish(world, 'tick-29539441');
      remove(world, 'tick-29539441');
      runUntil(world, time('2026-03-01T12:01:30Z'));
      restore(world, copy);
      const [child] = world.jobs.values();
      if (child === undefined) throw new Error('the copy has no Job');
      if (isChildFirst) observeJob(world, child);
      observe(world);
      work(world);
      if (!isChildFirst) observeJob(world, child);
      runUntil(world, time('2026-03-01T12:02:30Z'));
      expect(world.cronJob.status?.active?.map(({ name }) => name)).toEqual(['tick-29539441']);
      expect(world.mostActive).toBe(1);
      finish(world, 'tick-29539441');
      runUntil(world, time('2026-03-01T12:03:30Z'));
      expect(world.starts.map(({ name }) => name)).toContain('tick-29539442');
      expect(world.emitted.filter((each) => each.includes('UnexpectedJob'))).toEqual([]);
      expect(replayed(world.stream).differing).toEqual([]);
    }
  });

  it('does not list a Job that another client has created and that the status did not list before', () => {
    const world = aWorld({ concurrencyPolicy: 'Forbid' }, T0);
    const { cronJob } = structuredClone(world);
    runUntil(world, time('2026-03-01T12:01:10Z'));
    finish(world, 'tick-29539441');
    const stray = putJob(world, 'stray');
    observeJob(world, stray);
    runUntil(world, time('2026-03-01T12:01:30Z'));
    const copy = structuredClone({ cronJob, jobs: world.jobs, version: 110 });
    restore(world, copy);
    observeJob(world, stray);
    observe(world);
    work(world);
    expect(world.cronJob.status?.active).toBeUndefined();
    runUntil(world, time('2026-03-01T12:02:30Z'));
    expect(world.starts.map(({ name }) => name)).toEqual(['tick-29539441', 'tick-29539442']);
  });
});

describe('the write of the status of a CronJob (J-9.20)', () => {
  const writesAfter = (world: World, from: number): [string, number | undefined][] =>
    world.stream
      .slice(from)
      .flatMap(({ data }) =>
        'commands' in data
          ? data.commands.flatMap((each): [string, number | undefined][] =>
              each.kind === 'WriteStatus' ? [[each.resourceVersion, each.epoch]] : [],
            )
          : [],
      );

  it('names the epoch of the latest known version of the CronJob, not the epoch of a Job that is observed before the CronJob', () => {
    const world = restored();
    const before = world.state.cronJob?.resourceVersion ?? '';
    for (const name of world.jobs.keys()) finish(world, name);
    for (const job of world.jobs.values()) observeJob(world, job);
    const from = world.stream.length;
    work(world);
    expect(writesAfter(world, from)).toEqual([[before, undefined]]);
    observe(world);
    const since = world.stream.length;
    runUntil(world, time('2026-03-01T12:06:30Z'));
    const later = writesAfter(world, since);
    expect(later.map(([, epoch]) => epoch)).toEqual(later.map(() => 1));
    expect(later).not.toEqual([]);
  });
});
