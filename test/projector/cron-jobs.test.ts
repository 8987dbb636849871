import { describe, expect, it } from '@jest/globals';
import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import { projectAll } from '../../services/projector/projections/project.ts';
import { emptyRows } from '../../services/projector/projections/rows.ts';
import { aWorld, change, observeJob, putJob, REFUSED, setStatus, vanish, work } from '../cron-job/world.ts';

function rowsAfter(events: readonly CronJobEvent[]) {
  const rows = emptyRows();
  projectAll(rows, events);
  return {
    cronJobs: [...rows.cronJobs.changed.values()],
    versions: [...rows.cronJobVersions.changed.values()],
    starts: [...rows.cronJobStarts.changed.values()],
    ofJobs: [rows.jobs, rows.decisions, rows.commands, rows.statuses].flatMap(({ changed }) => [
      ...changed.values(),
    ]),
  };
}

const MINUTE = 60_000;

describe('the row of a CronJob', () => {
  it('has its newest version, with the last decision and the reason to wait', () => {
    const world = aWorld(
      { schedule: '*/5 * * * *', timeZone: 'Europe/Paris', startingDeadlineSeconds: 90 },
      '2026-03-01T12:00:00Z',
    );
    work(world);
    change(world, { suspend: true });
    work(world);
    const [row, ...others] = rowsAfter(world.stream).cronJobs;
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      cluster: 'east',
      namespace: 'default',
      name: 'tick',
      schedule: '*/5 * * * *',
      time_zone: 'Europe/Paris',
      starting_deadline_seconds: '90',
      suspend: true,
      created_at: '2026-03-01T12:00:00.000Z',
      deleted_at: null,
      decision_count: world.stream.filter(({ type }) => type === 'cronjob.decided').length,
      waiting_rule: 'J-9.32',
      next_decision_at: null,
    });
  });

  it('stays at the newest version when an older one arrives, and retains it when the CronJob is deleted', () => {
    const world = aWorld({}, '2026-03-01T12:00:00Z');
    const [first] = world.stream;
    setStatus(world, { active: [{ name: 'tick-1', uid: 'one' }], lastScheduleTime: '2026-03-01T12:01:00Z' });
    vanish(world);
    const { cronJobs, versions } = rowsAfter([
      ...world.stream,
      ...(first === undefined ? [] : [{ ...first, id: 'again' }]),
    ]);
    expect(cronJobs).toMatchObject([
      {
        active: 1,
        active_jobs: ['tick-1'],
        last_schedule_time: '2026-03-01T12:01:00.000Z',
        deletion_seen: true,
      },
    ]);
    expect(cronJobs[0]?.deleted_at).not.toBeNull();
    expect(versions.map(({ active, deleted }) => [active, deleted])).toEqual([
      [0, false],
      [1, false],
      [1, true],
    ]);
  });

  it('exists without a schedule and a version when only a Job of the CronJob was observed', () => {
    const world = aWorld({}, '2026-03-01T12:00:00Z');
    world.stream = [];
    observeJob(world, putJob(world, 'tick-1'));
    expect(rowsAfter(world.stream)).toMatchObject({
      cronJobs: [{ name: 'tick', schedule: null, resource_version: '0' }],
      versions: [],
    });
  });
});

describe('the starts of a CronJob in the tables', () => {
  it('are one row for each, with the outcome, the created Job and the replaced Job', () => {
    const world = aWorld({ concurrencyPolicy: 'Replace' }, '2026-03-01T12:00:00Z');
    world.now += MINUTE;
    work(world);
    world.now += MINUTE;
    work(world);
    const { starts } = rowsAfter(world.stream);
    expect(starts).toMatchObject([
      { scheduled_at: '2026-03-01T12:01:00.000Z', result: 'created', replaced: [], error: null },
      { scheduled_at: '2026-03-01T12:02:00.000Z', result: 'created', replaced: [starts[0]?.job_name] },
    ]);
    expect(starts.map(({ job_uid: uid }) => uid)).toEqual(
      starts.map(({ job_name: name }) => `uid-of-${name}`),
    );
    expect(starts.every(({ rule, message }) => rule.startsWith('J-') && message !== '')).toBe(true);
  });

  it('have the error when they failed, and are counted', () => {
    const world = aWorld({}, '2026-03-01T12:00:00Z');
    world.trouble = { CreateJob: REFUSED };
    world.now += MINUTE;
    work(world);
    const { starts, cronJobs } = rowsAfter(world.stream);
    expect(starts[0]).toMatchObject({ result: 'failed', error: 'no', job_uid: null });
    expect(cronJobs[0]?.failed_command_count).toBe(starts.length);
  });

  it('have the result unknown when the worker may have created the Job', () => {
    const world = aWorld({}, '2026-03-01T12:00:00Z');
    world.creation = 'not sent';
    world.unseen = [];
    world.now += MINUTE;
    work(world);
    expect(rowsAfter(world.stream).starts).toMatchObject([{ result: 'unknown', error: null, job_uid: null }]);
  });

  it('have no result without a recorded outcome', () => {
    const world = aWorld({}, '2026-03-01T12:00:00Z');
    world.crashAfter = 0;
    world.now += MINUTE;
    work(world);
    expect(rowsAfter(world.stream).starts[0]).toMatchObject({ result: null, outcome_at: null });
  });
});

describe('the tables of Jobs', () => {
  it('get no row from the stream of a CronJob', () => {
    const world = aWorld({}, '2026-03-01T12:00:00Z');
    world.now += MINUTE;
    work(world);
    expect(rowsAfter(world.stream).ofJobs).toEqual([]);
  });
});
