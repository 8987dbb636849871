import { describe, expect, it } from '@jest/globals';
import { childJob } from '../../workflows/cron-job/child-job.ts';
import { CORE_VERSION } from '../../workflows/cron-job/core.ts';
import { missingZones } from '../../workflows/cron-job/decide/zones.ts';
import type { ZonePeriod } from '../../workflows/cron-job/schedule/zone.ts';
import { zoneRules } from '../../services/adapters/time-zones.ts';
import { creationSkew } from '../../workflows/cron-job/outcome-events.ts';
import {
  aWorld,
  change,
  deliver,
  finish,
  observe,
  observeJob,
  putJob,
  REFUSED,
  replayed,
  runUntil,
  setStatus,
  time,
  vanish,
  work,
  type World,
} from './world.ts';

const T0 = '2026-03-01T12:00:00Z';
const name = (text: string): string => `tick-${time(text) / 60_000}`;

function scheduled({ starts }: World): string[] {
  return starts.map(({ scheduledAt }) => new Date(scheduledAt).toISOString().slice(5, 16));
}

describe('a CronJob with a schedule', () => {
  it('starts a Job at each of its times, 100 ms late (J-9.13, J-9.20, J-9.45)', () => {
    const world = aWorld({ schedule: '*/20 * * * *' }, T0);
    expect(work(world)).toBe(time('2026-03-01T12:20:00.100Z'));
    expect(world.state.waiting).toEqual({
      rule: 'J-9.45',
      message: 'next start at 2026-03-01T12:20:00.000Z',
    });
    runUntil(world, time('2026-03-01T13:05:00Z'));
    expect(scheduled(world)).toEqual(['03-01T12:20', '03-01T12:40', '03-01T13:00']);
    expect(world.emitted.slice(0, 1)).toEqual([
      `Normal SuccessfulCreate: Created job ${name('2026-03-01T12:20:00Z')}`,
    ]);
    expect(world.cronJob.status).toMatchObject({
      lastScheduleTime: '2026-03-01T13:00:00Z',
      active: [{ kind: 'Job', apiVersion: 'batch/v1', namespace: 'default' }, {}, {}],
    });
  });

  it('gives each Job its name, annotation and owner (J-9.46, J-9.50, J-1.50)', () => {
    const world = aWorld({ schedule: '30 8 * * *', timeZone: 'Asia/Kathmandu' }, T0);
    runUntil(world, time('2026-03-02T03:00:00Z'));
    const command = world.stream.flatMap((event) =>
      event.type === 'cronjob.decided' ? event.data.commands : [],
    )[0];
    if (command?.kind !== 'CreateJob') throw new Error('no creation');
    expect(command).toMatchObject({
      name: name('2026-03-02T02:45:00Z'),
      scheduledAt: '2026-03-02T02:45:00Z',
      annotation: '2026-03-02T08:30:00+05:45',
    });
    expect(childJob(world.cronJob, command)).toEqual({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: command.name,
        namespace: 'default',
        labels: { app: 'tick' },
        annotations: {
          note: 'n',
          'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-03-02T08:30:00+05:45',
        },
        ownerReferences: [
          {
            apiVersion: 'batch/v1',
            kind: 'CronJob',
            name: 'tick',
            uid: world.cronJob.metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { completions: 2 },
    });
    expect(
      creationSkew(command, {
        kind: 'CreateJob',
        result: 'created',
        job: { uid: 'u', namespace: 'default', name: 'n', resourceVersion: '1' },
        createdAt: '2026-03-02T02:45:03Z',
        at: 0,
      }),
    ).toBe(3);
  });

  it('starts only the most recent time after an outage, and reports the delay (J-9.40)', () => {
    const world = aWorld({ schedule: '*/10 * * * *' }, T0);
    work(world);
    world.now = time('2026-03-01T13:05:00Z');
    work(world);
    expect(scheduled(world)).toEqual(['03-01T13:00']);
    const reasons = world.stream.flatMap((event) =>
      event.type === 'cronjob.decided' ? event.data.commands.map(({ why }) => why) : [],
    );
    expect(reasons[0]).toEqual({
      rule: 'J-9.38',
      message: 'the start of 2026-03-01T13:00:00.000Z, 300 s late; about 5 before it were missed',
    });
    expect(world.emitted.join()).not.toContain('TooManyMissedTimes');
  });

  it('warns after more than 100 missed times, and starts a Job (J-9.33)', () => {
    const world = aWorld({}, T0);
    work(world);
    world.now = time('2026-03-01T13:41:30Z');
    work(world);
    expect(world.emitted).toContain(
      'Warning TooManyMissedTimes: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
    );
    expect(world.starts).toHaveLength(1);
  });

  it('skips a time that is past the deadline, without an Event (J-9.34)', () => {
    const world = aWorld({ schedule: '0 * * * *', startingDeadlineSeconds: 60 }, T0);
    work(world);
    world.now = time('2026-03-01T13:01:01Z');
    expect(work(world)).toBe(time('2026-03-01T14:00:00.100Z'));
    expect(world.state.waiting?.rule).toBe('J-9.34');
    expect(world.starts).toEqual([]);
    expect(world.emitted).toEqual([]);
    world.now = time('2026-03-01T14:00:59Z');
    work(world);
    expect(scheduled(world)).toEqual(['03-01T14:00']);
  });

  it('never starts a Job when the interval of @every is longer than the starting deadline, because the times drift (B-22)', () => {
    const world = aWorld({ schedule: '@every 2m', startingDeadlineSeconds: 60 }, T0);
    runUntil(world, time('2026-03-01T12:30:00Z'));
    expect(world.starts).toEqual([]);
  });

  it('does not start a second Job for the same minute while the first Job runs (J-9.35)', () => {
    const world = aWorld({ schedule: '@every 30s' }, T0);
    runUntil(world, time('2026-03-01T12:01:35Z'));
    expect(scheduled(world)).toEqual(['03-01T12:00', '03-01T12:01']);
    expect(world.state.waiting?.rule).toBe('J-9.35');
  });
});

describe('a CronJob with a concurrency policy', () => {
  it('waits for the running Job under Forbid, and then starts the most recent time late (J-9.36, J-9.51, B-23, B-24)', () => {
    const world = aWorld({ concurrencyPolicy: 'Forbid' }, T0);
    runUntil(world, time('2026-03-01T12:03:30Z'));
    expect(world.starts).toHaveLength(1);
    expect(world.state.waiting).toEqual({
      rule: 'J-9.36',
      message: 'the start of 2026-03-01T12:03:00.000Z waits for the running Job (Forbid)',
    });
    expect(world.emitted.filter((emitted) => emitted.startsWith('Normal JobAlreadyActive'))).toEqual(
      Array.from(
        { length: 2 },
        () =>
          'Normal JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid',
      ),
    );
    finish(world, name('2026-03-01T12:01:00Z'));
    work(world);
    expect(scheduled(world)).toEqual(['03-01T12:01', '03-01T12:03']);
    expect(world.emitted).toContain(
      `Normal SawCompletedJob: Saw completed job: ${name('2026-03-01T12:01:00Z')}, condition: Complete`,
    );
    expect(world.cronJob.status?.lastSuccessfulTime).toBe('2026-03-01T12:03:30Z');
  });

  it('deletes the running Job under Replace, and creates the next Job (J-9.37, J-9.47, B-28)', () => {
    const world = aWorld({ concurrencyPolicy: 'Replace' }, T0);
    runUntil(world, time('2026-03-01T12:02:30Z'));
    expect([...world.jobs.keys()]).toEqual([name('2026-03-01T12:02:00Z')]);
    expect(world.emitted).toContain(`Normal SuccessfulDelete: Deleted job ${name('2026-03-01T12:01:00Z')}`);
    expect(world.cronJob.status?.active).toMatchObject([{ name: name('2026-03-01T12:02:00Z') }]);
  });

  it('does not report a Job that it deleted under Replace as missing (J-9.47)', () => {
    const world = aWorld({ concurrencyPolicy: 'Replace' }, T0);
    runUntil(world, time('2026-03-01T12:03:30Z'));
    expect(world.emitted.join()).not.toContain('MissingJob');
  });

  it('repeats a failed deletion under Replace, and creates no Job before the deletion succeeds (J-9.37, J-9.10)', () => {
    const world = aWorld({ concurrencyPolicy: 'Replace' }, T0);
    runUntil(world, time('2026-03-01T12:01:30Z'));
    world.trouble = { ReplaceJobs: REFUSED };
    world.now = time('2026-03-01T12:02:01Z');
    expect(work(world)).toBe(world.now + 5);
    expect(world.emitted.at(-1)).toBe('Warning FailedDelete: Deleted job: no');
    expect(world.starts).toHaveLength(1);
    world.trouble = {};
    world.now += 5;
    work(world);
    expect(world.starts).toHaveLength(2);
  });

  it('runs two Jobs at the same time under Allow', () => {
    const world = aWorld({ concurrencyPolicy: 'Allow' }, T0);
    runUntil(world, time('2026-03-01T12:02:30Z'));
    expect(world.cronJob.status?.active).toHaveLength(2);
  });
});

describe('the creation of a Job by a CronJob', () => {
  it('is repeated after failures with pauses of 5 ms, 10 ms … 1000 s, whatever is observed (J-9.10, B-3)', () => {
    const world = aWorld({}, T0);
    world.trouble = { CreateJob: REFUSED };
    work(world);
    world.now = time('2026-03-01T12:01:00.100Z');
    const waits = Array.from({ length: 20 }, () => {
      const until = work(world) ?? 0;
      setStatus(world, {
        lastSuccessfulTime: `2026-01-01T00:00:${String(world.version % 60).padStart(2, '0')}Z`,
      });
      expect(work(world)).toBe(until);
      const wait = (world.state.retries.CreateJob?.until ?? 0) - world.now;
      world.now += wait;
      return wait;
    });
    expect(waits.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(waits.slice(-2)).toEqual([1_000_000, 1_000_000]);
    expect(world.emitted).toContain('Warning FailedCreate: Error creating job: no');
    world.trouble = {};
    work(world);
    expect(world.starts).toHaveLength(1);
    expect(world.state.retries).toEqual({});
  });

  it('is omitted and reported when another Job has the name, and the next Job is created on time (J-9.38)', () => {
    const world = aWorld({}, T0);
    putJob(world, name('2026-03-01T12:01:00Z'), 'another');
    work(world);
    world.now = time('2026-03-01T12:01:01Z');
    expect(work(world)).toBe(time('2026-03-01T12:02:00.100Z'));
    expect(world.state.waiting).toEqual({
      rule: 'J-9.38',
      message:
        'the start of 2026-03-01T12:01:00.000Z is left out: another Job has the name tick-29539441; next start at 2026-03-01T12:02:00.000Z',
    });
    expect(world.emitted).toEqual([
      'Warning JobNameTaken: The start of 2026-03-01T12:01:00Z is left out: a Job tick-29539441 exists, which has no controller',
    ]);
    expect(world.cronJob.status).toEqual({});
    world.now = time('2026-03-01T12:02:00.100Z');
    work(world);
    expect(scheduled(world)).toEqual(['03-01T12:02']);
  });

  it.each([0, 1])('is not repeated after a crash that follows command %i (J-9.38)', (crashAfter) => {
    const world = aWorld({}, T0);
    work(world);
    world.now = time('2026-03-01T12:01:01Z');
    const before = world.state;
    world.crashAfter = crashAfter;
    work(world);
    // The outcomes and the decision of the process that died are lost.
    if (crashAfter === 0) world.state = before;
    world.now += 4000;
    work(world);
    work(world);
    expect(world.starts).toHaveLength(1);
    expect(world.cronJob.status).toMatchObject({ lastScheduleTime: '2026-03-01T12:01:00Z', active: [{}] });
    expect(world.emitted.filter((emitted) => emitted.includes('SuccessfulCreate'))).toHaveLength(1);
  });
});

describe('the Jobs of a CronJob', () => {
  it('are deleted beyond the history limits, the oldest first, succeeded and failed Jobs separately (J-9.21, J-9.1)', () => {
    const world = aWorld(
      { schedule: '0 0 1 1 *', successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 },
      T0,
    );
    for (const each of ['b', 'a', 'c']) {
      observeJob(world, putJob(world, each));
      finish(world, each);
    }
    observeJob(world, putJob(world, 'failed'));
    finish(world, 'failed', 'Failed');
    const late = putJob(world, 'never');
    late.status = {};
    finish(world, 'never');
    work(world);
    expect([...world.jobs.keys()]).toEqual(['never']);
    expect(world.emitted.filter((emitted) => emitted.includes('SuccessfulDelete'))).toEqual(
      ['a', 'b', 'c', 'failed'].map((each) => `Normal SuccessfulDelete: Deleted job ${each}`),
    );
    expect(world.cronJob.status).toEqual({ lastSuccessfulTime: T0 });
  });

  it('determine the last success by the time of their end, in whatever order they are observed (J-9.30)', () => {
    const world = aWorld({ schedule: '0 0 1 1 *' }, T0);
    for (const each of ['early', 'late']) putJob(world, each);
    world.now += 9000;
    finish(world, 'late');
    world.now -= 5000;
    finish(world, 'early');
    work(world);
    expect(world.cronJob.status?.lastSuccessfulTime).toBe('2026-03-01T12:00:09Z');
  });

  it('are kept when the history has no limits', () => {
    const world = aWorld({ schedule: '0 0 1 1 *' }, T0);
    delete world.cronJob.spec.successfulJobsHistoryLimit;
    change(world, {});
    for (const each of ['a', 'b', 'c', 'd', 'e']) {
      observeJob(world, putJob(world, each));
      finish(world, each);
    }
    work(world);
    expect(world.jobs.size).toBe(5);
  });

  it('never include a Job whose owner has another UID, even when the owner has the same name (J-9.20, B-20)', () => {
    const world = aWorld({ schedule: '0 0 1 1 *', successfulJobsHistoryLimit: 0 }, T0);
    putJob(world, 'other', 'another');
    finish(world, 'other');
    work(world);
    expect([...world.jobs.keys()]).toEqual(['other']);
    expect(world.state.children).toEqual({});
  });

  it('are looked up and reported when the status does not list them (J-9.12, J-9.30, B-21)', () => {
    const world = aWorld({ schedule: '0 0 1 1 *' }, T0);
    observeJob(world, putJob(world, 'stray'));
    work(world);
    work(world);
    expect(world.emitted).toEqual([
      'Warning UnexpectedJob: Saw a job that the controller did not create or forgot: stray',
    ]);
    expect(world.cronJob.status).toEqual({});
  });

  it('are not reported when the current CronJob lists them (J-9.30)', () => {
    const world = aWorld({ schedule: '0 0 1 1 *' }, T0);
    const { metadata } = putJob(world, 'known');
    world.version += 1;
    world.cronJob = {
      ...world.cronJob,
      metadata: { ...world.cronJob.metadata, resourceVersion: String(world.version) },
      status: { active: [{ name: 'known', uid: metadata.uid }] },
    };
    observeJob(world, world.jobs.get('known') ?? putJob(world, 'known'));
    work(world);
    expect(world.emitted).toEqual([]);
    expect(world.state.cronJob?.status.active).toHaveLength(1);
  });

  it('are looked up and removed from the status when they are listed and missing (J-9.31)', () => {
    const world = aWorld({ schedule: '0 0 1 1 *' }, T0);
    setStatus(world, { active: [{ name: 'lost', uid: 'uid-of-lost' }] });
    work(world);
    expect(world.emitted).toEqual(['Normal MissingJob: Active job went missing: lost']);
    expect(world.cronJob.status).toEqual({});
  });

  it('stay in the status when the status lists them and a look-up finds them, and are read again at the next start (J-9.31)', () => {
    const world = aWorld({ concurrencyPolicy: 'Forbid' }, T0);
    putJob(world, 'hidden', 'another-uid');
    setStatus(world, { active: [{ name: 'hidden', uid: 'uid-of-hidden' }] });
    world.now = time('2026-03-01T12:01:01Z');
    work(world);
    expect(world.starts).toEqual([]);
    world.jobs.delete('hidden');
    world.now = time('2026-03-01T12:02:01Z');
    work(world);
    expect(world.emitted).toContain('Normal MissingJob: Active job went missing: hidden');
    expect(scheduled(world)).toEqual(['03-01T12:02']);
  });

  it('are looked up again after a refusal, before any start (J-9.31, J-9.10)', () => {
    const world = aWorld({}, T0);
    setStatus(world, { active: [{ name: 'lost', uid: 'uid-of-lost' }] });
    world.trouble = { LookUpJobs: REFUSED };
    world.now = time('2026-03-01T12:01:01Z');
    expect(work(world)).toBe(world.now + 5);
    expect(world.starts).toEqual([]);
    expect(world.state.waiting?.rule).toBe('J-9.10');
  });
});

describe('a CronJob that cannot start a Job', () => {
  it.each([
    {
      spec: { timeZone: 'Mars/Base' },
      emitted: ['Warning UnknownTimeZone: invalid timeZone: "Mars/Base": unknown time zone Mars/Base'],
    },
    { spec: { suspend: true }, emitted: [] },
    {
      spec: { schedule: '61 * * * *' },
      emitted: [
        'Warning UnparseableSchedule: unparseable schedule: "61 * * * *" : end of range (61) above maximum (59): 61',
      ],
    },
    {
      spec: { schedule: 'TZ=0' },
      emitted: [
        'Warning UnsupportedSchedule: CRON_TZ or TZ used in schedule "TZ=0" is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
        'Warning UnparseableSchedule: unparseable schedule: "TZ=0" : invalid schedule format: runtime error: slice bounds out of range [:-1]',
      ],
    },
    {
      spec: { schedule: '59 23 31 2 *' },
      emitted: [
        'Warning InvalidSchedule: invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second',
      ],
    },
  ])('gives the reason when it has $spec: $emitted (J-9.32, J-9.33, J-7.4)', ({ spec, emitted }) => {
    const world = aWorld(spec, T0);
    expect(work(world)).toBeNull();
    world.now = time('2026-03-02T12:00:00Z');
    observe(world);
    expect(work(world)).toBeNull();
    expect(world.emitted).toEqual(emitted);
    expect(world.starts).toEqual([]);
  });

  it('starts no Job while it is being deleted (J-9.32)', () => {
    const world = aWorld({}, T0);
    world.cronJob.metadata.deletionTimestamp = T0;
    change(world, {});
    world.now = time('2026-03-01T12:05:00Z');
    expect(work(world)).toBeNull();
    expect(world.starts).toEqual([]);
  });

  it('starts no Job while it is suspended, and starts its most recent missed time at once when it is resumed (J-9.49)', () => {
    const world = aWorld({ suspend: true, schedule: '0 * * * *' }, T0);
    runUntil(world, time('2026-03-01T15:30:00Z'));
    change(world, { suspend: false });
    work(world);
    expect(scheduled(world)).toEqual(['03-01T15:00']);
  });
});

describe('a CronJob whose schedule names a zone', () => {
  it('starts its Jobs by that zone, with a warning (J-9.3, J-9.32)', () => {
    const world = aWorld({ schedule: 'CRON_TZ=Asia/Kathmandu 30 8 * * *' }, T0);
    runUntil(world, time('2026-03-02T03:00:00Z'));
    expect(scheduled(world)).toEqual(['03-02T02:45']);
    expect(world.emitted.some((emitted) => emitted.startsWith('Warning UnsupportedSchedule'))).toBe(true);
  });
});

describe('a changed schedule of a CronJob', () => {
  it('starts no missed time, and the next of its times is the first start (J-9.11)', () => {
    const world = aWorld({ schedule: '0 * * * *' }, T0);
    runUntil(world, time('2026-03-01T13:30:00Z'));
    change(world, { schedule: '*/20 * * * *' });
    expect(work(world)).toBe(time('2026-03-01T13:40:00.100Z'));
    expect(world.state.waiting).toEqual({
      rule: 'J-9.11',
      message: 'the schedule has changed, next start at 2026-03-01T13:40:00.000Z',
    });
    finish(world, name('2026-03-01T13:00:00Z'));
    expect(work(world)).toBe(time('2026-03-01T13:40:00.100Z'));
    runUntil(world, time('2026-03-01T14:01:00Z'));
    expect(scheduled(world)).toEqual(['03-01T13:00', '03-01T13:40', '03-01T14:00']);
  });

  it('applies from its change on also when only the zone changes (J-9.11)', () => {
    const world = aWorld({ schedule: '0 12 * * *' }, T0);
    work(world);
    change(world, { timeZone: 'America/New_York' });
    expect(work(world)).toBe(time('2026-03-01T17:00:00.100Z'));
  });

  it('starts no Job while the write of the status is refused, and then starts its next time (J-9.11, J-9.10)', () => {
    const world = aWorld({ schedule: '0 * * * *' }, T0);
    runUntil(world, time('2026-03-01T13:30:00Z'));
    change(world, { schedule: '*/20 * * * *' });
    work(world);
    finish(world, name('2026-03-01T13:00:00Z'));
    world.trouble = { WriteStatus: REFUSED };
    expect(work(world)).toBe(world.now + 5);
    expect(world.state.waiting?.rule).toBe('J-9.10');
    world.trouble = {};
    runUntil(world, time('2026-03-01T13:41:00Z'));
    expect(scheduled(world)).toEqual(['03-01T13:00', '03-01T13:40']);
    expect(world.cronJob.status?.lastSuccessfulTime).toBe('2026-03-01T13:30:00Z');
  });

  it('starts the most recent of its times, though before the change of the schedule, when another change of the CronJob follows (J-9.11)', () => {
    const world = aWorld({ schedule: '0 13 * * *' }, T0);
    work(world);
    world.now = time('2026-03-01T12:30:00Z');
    change(world, { schedule: '*/20 * * * *' });
    work(world);
    change(world, { concurrencyPolicy: 'Forbid' });
    work(world);
    expect(scheduled(world)).toEqual(['03-01T12:20']);
  });

  it('is reported when it is invalid, and starts no Job until the next change (J-9.11)', () => {
    const world = aWorld({}, T0);
    work(world);
    change(world, { schedule: 'x' });
    expect(work(world)).toBeNull();
    expect(world.emitted).toEqual([
      'Warning UnParseableCronJobSchedule: unparseable schedule for cronjob: x',
    ]);
  });
});

describe('the recorded stream of a CronJob', () => {
  it('contains the rules of the zone, and each decision is made again from the recorded rules alone (J-9.4)', () => {
    const world = aWorld({ schedule: '30 2 * * *', timeZone: 'Europe/Berlin' }, '2026-03-25T12:00:00Z');
    runUntil(world, time('2026-03-31T12:00:00Z'));
    // On 29 March there is no 02:30.
    expect(scheduled(world)).toEqual([
      '03-26T01:30',
      '03-27T01:30',
      '03-28T01:30',
      '03-30T00:30',
      '03-31T00:30',
    ]);
    const { state, differing } = replayed(world.stream);
    expect(differing).toEqual([]);
    expect(state.waiting).toEqual(world.state.waiting);
    expect(world.stream.filter(({ type }) => type === 'cronjob.decided').at(-1)?.data).toMatchObject({
      core: CORE_VERSION,
      settings: { zones: [{ name: 'Europe/Berlin' }] },
    });
    const zones = world.stream.flatMap((event) =>
      event.type === 'cronjob.decided' ? [JSON.stringify(event.data.settings.zones)] : [],
    );
    expect(new Set(zones).size).toBe(1);
    const [rules] = world.settings.zones;
    expect(JSON.stringify(rules).length).toBeLessThan(420);
  });

  it('has further decisions when the rules of the zone must be read again after a month (J-9.4)', () => {
    const world = aWorld({ schedule: '0 0 1 * *', timeZone: 'Australia/Lord_Howe' }, T0);
    runUntil(world, time('2026-06-15T00:00:00Z'));
    expect(scheduled(world)).toEqual(['03-31T13:00', '04-30T13:30', '05-31T13:30']);
    expect(replayed(world.stream).differing).toEqual([]);
  });

  it('gives a state of bounded size after 600 starts, as after ten years', () => {
    const world = aWorld({ concurrencyPolicy: 'Forbid' }, T0);
    const sizes: number[] = [];
    for (let start = 1; start <= 600; start += 1) {
      runUntil(world, time(T0) + start * 60_000 + 1000);
      finish(world, world.starts.at(-1)?.name ?? '');
      work(world);
      if (start === 100 || start === 600) sizes.push(JSON.stringify(world.state).length);
    }
    expect(world.starts).toHaveLength(600);
    expect(Math.abs((sizes[1] ?? 0) - (sizes[0] ?? 0))).toBeLessThan(40);
  });

  it('has no more decisions after the CronJob is deleted', () => {
    const world = aWorld({}, T0);
    work(world);
    vanish(world);
    world.now = time('2026-03-01T12:05:00Z');
    expect(work(world)).toBeNull();
    observe(world);
    expect(work(world)).toBeNull();
    expect(world.starts).toEqual([]);
  });
});

describe('a CronJob whose status has a last start far in the past or the future', () => {
  it.each(['0001-01-02T00:00:00Z', '1900-01-01T00:00:00Z', '9999-12-31T23:59:59Z'])(
    'needs the rules of its time zone for 26 years and a month at most, and these rules suffice for a month: a last start at %s (J-9.4)',
    (lastScheduleTime) => {
      const world = aWorld({ schedule: '* * * * *', timeZone: 'Europe/Berlin' }, T0);
      setStatus(world, { lastScheduleTime });
      deliver(world);
      const [need] = missingZones(world.state, world.now, world.settings);
      expect(need?.name).toBe('Europe/Berlin');
      expect(((need?.until ?? 0) - (need?.from ?? 0)) / 86_400_000).toBeLessThanOrEqual(26 * 366 + 31);
      const settings = { ...world.settings, zones: [zoneRules(need as ZonePeriod)] };
      expect(missingZones(world.state, world.now + 31 * 86_400_000, settings)).toEqual([]);
    },
  );
});
