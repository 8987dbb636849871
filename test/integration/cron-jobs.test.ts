import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { cronJobsOf, MINUTE } from '../support/cron-jobs.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';

/** After the whole minute of a start. */
const LATE_MS = 20_000;

let installation: Installation;

beforeAll(async () => {
  installation = await install({
    claim: 'all',
    clusters: [
      {
        name: 'local',
        builtInJobController: false,
        builtInTtlController: false,
        builtInCronJobController: false,
      },
    ],
    environment: { JOBLEDGER_CONTROLLERS: 'job,cronjob,ttl' },
  });
  await installation.startServices();
}, 240_000);

afterAll(() => installation?.stop(), 60_000);

const cronJobs = cronJobsOf(() => installation);
const { jobsOf, jobsWhere, overdue, startsOf } = cronJobs;

/** How many pods run, of each Job that has any. */
function activeOf(jobs: readonly Job[]): number[] {
  return jobs.flatMap(({ status }) => status?.active ?? []);
}

describe('a CronJob', () => {
  it('starts a Job at each time of its schedule, exactly once, while the worker is killed again and again (J-9.33, J-9.38)', async () => {
    const tick = await cronJobs.create('tick', { successfulJobsHistoryLimit: 1 }, ['true']);
    const created = Date.parse(tick.metadata.creationTimestamp);
    const first = (Math.floor(created / MINUTE) + 1) * MINUTE;
    for (const start of [first, first + MINUTE, first + 2 * MINUTE]) {
      // Dies right after the request that starts the Job, or while it waits.
      await eventually('a start', 90, () =>
        Promise.resolve(startsOf('tick').some(({ scheduledAt }) => scheduledAt === start) ? true : undefined),
      );
      await installation.kill('worker');
    }
    await jobsWhere(
      tick,
      'has the last Job only',
      (jobs) => jobs.length === 1 && jobs[0]?.status?.succeeded === 1,
    );
    const starts = startsOf('tick');
    expect(starts.map(({ scheduledAt }) => (scheduledAt - first) / MINUTE)).toEqual([0, 1, 2]);
    for (const { at, scheduledAt } of starts) {
      expect(at).toBeGreaterThanOrEqual(scheduledAt);
      expect(at).toBeLessThan(scheduledAt + LATE_MS);
    }
  }, 300_000);

  it('skips starts while a Job runs when it forbids them, and replaces or adds Jobs otherwise (J-9.36, J-9.37)', async () => {
    const sleep = ['sleep', '600'];
    const all = await Promise.all([
      cronJobs.create('forbid', { concurrencyPolicy: 'Forbid' }, sleep),
      cronJobs.create('replace', { concurrencyPolicy: 'Replace' }, sleep),
      cronJobs.create('allow', {}, sleep),
    ]);
    await Promise.all(all.map(({ metadata }) => overdue(metadata.name)));
    const [forbid, replace, allow] = all;
    if (forbid === undefined || replace === undefined || allow === undefined)
      throw new Error('three are made');
    await Promise.all(all.map((each) => jobsWhere(each, 'has a Job', (jobs) => jobs.length === 1)));
    const [allowed] = await Promise.all([
      jobsWhere(allow, 'has two Jobs that run', (jobs) => activeOf(jobs).length === 2, 90),
      jobsWhere(
        replace,
        'has another Job',
        (jobs) => jobs.length === 1 && startsOf('replace').length >= 2,
        90,
      ),
    ]);
    expect(activeOf(allowed)).toEqual([1, 1]);
    expect(await jobsOf(forbid)).toHaveLength(1);
    expect(startsOf('forbid')).toHaveLength(1);
  }, 240_000);

  it('starts nothing while it is suspended, and what was missed once it is resumed (J-9.49)', async () => {
    const rest = await cronJobs.create('rest', { suspend: true }, ['true']);
    await overdue('rest');
    await eventually('its workflow has seen it', 30, async () => {
      const client = await installation.temporal();
      const state = await client.workflow
        .getHandle(`local/${rest.metadata.uid}`)
        .query<{ waiting: { rule: string } | null }>('state')
        .catch(() => undefined);
      return state?.waiting?.rule === 'J-9.32' ? true : undefined;
    });
    expect(startsOf('rest')).toEqual([]);
    await cronJobs.patch('rest', { spec: { suspend: false } });
    await jobsWhere(rest, 'starts what was missed', (jobs) => jobs.length === 1);
  }, 120_000);

  it('ends its workflow when it is deleted', async () => {
    const brief = await cronJobs.create('brief', { suspend: true }, ['true']);
    const handle = (await installation.temporal()).workflow.getHandle(`local/${brief.metadata.uid}`);
    await eventually('it runs', 30, async () =>
      (await handle.describe().catch(() => null)) === null ? undefined : true,
    );
    await cronJobs.remove('brief');
    const status = await eventually('it has ended', 30, async () => {
      const { name } = (await handle.describe()).status;
      return name === 'RUNNING' ? undefined : name;
    });
    expect(status).toBe('COMPLETED');
  }, 120_000);
});
