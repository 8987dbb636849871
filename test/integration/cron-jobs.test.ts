import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CronJob, Job } from '../../workflows/kubernetes/objects.ts';
import { connectCronJobs, MINUTE, type Start } from '../support/cron-jobs.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { listDifferences, rebuildTables } from '../support/rebuild.ts';
import { workflowId } from '../../services/adapters/temporal/names.ts';

/** A start may be this late. */
const LATE_MS = 20_000;

let installation: Installation;

beforeAll(async () => {
  installation = await install({
    separate: true,
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

const cronJobs = connectCronJobs(() => installation);
const { listJobs, jobsWhere, overdue, listStarts } = cronJobs;

/** Returns the number of active pods of each Job that has any. */
function activePods(jobs: readonly Job[]): number[] {
  return jobs.flatMap(({ status }) => status?.active ?? []);
}

/** These CronJobs have a start in doubt. */
let inDoubt: string[] = [];

/** These are the CronJobs by name, as they were created. */
const made: Record<string, CronJob> = {};

function of(name: string): CronJob {
  const cronJob = made[name];
  if (cronJob === undefined) throw new Error(`no CronJob ${name}`);
  return cronJob;
}

/** Resolves with the starts of a CronJob when it has this number of starts. */
function started(name: string, count: number): Promise<Start[]> {
  return eventually(`${name} has ${count} starts`, 90, () => {
    const starts = listStarts(name);
    return Promise.resolve(starts.length >= count ? starts : undefined);
  });
}

function expectNoneTwice(name: string): void {
  const times = listStarts(name).map(({ scheduledAt }) => scheduledAt);
  expect(times).toEqual([...new Set(times)]);
}

describe('a CronJob of Jobledger', () => {
  beforeAll(async () => {
    const sleep = ['sleep', '600'];
    made['tick'] = await cronJobs.create('tick', { successfulJobsHistoryLimit: 1 }, ['true']);
    made['forbid'] = await cronJobs.create('forbid', { concurrencyPolicy: 'Forbid' }, sleep);
    made['replace'] = await cronJobs.create('replace', { concurrencyPolicy: 'Replace' }, sleep);
    made['allow'] = await cronJobs.create('allow', {}, sleep);
    await Promise.all(Object.keys(made).map(overdue));
  });

  // The next tests run in the minute until the next time of the schedules.
  it('has one Job for a start although the worker died while it created the Job (J-9.38)', async () => {
    inDoubt = await cronJobs.startInDoubt();
    for (const name of inDoubt) {
      await cronJobs.patch(name, { spec: { suspend: true } });
      expectNoneTwice(name);
    }
  }, 300_000);

  it('starts no Job while it is suspended, and starts the missed Job when it is resumed (J-9.49)', async () => {
    const rest = await cronJobs.create('rest', { suspend: true }, ['true']);
    await overdue('rest');
    await cronJobs.waits(rest, 'J-9.32');
    expect(listStarts('rest')).toEqual([]);
    await cronJobs.patch('rest', { spec: { suspend: false } });
    await jobsWhere(rest, 'starts what was missed', (jobs) => jobs.length === 1);
  }, 120_000);

  it('ends its workflow when it is deleted', async () => {
    const brief = await cronJobs.create('brief', { suspend: true }, ['true']);
    const id = workflowId('local', brief.metadata.uid, 'CronJob');
    const handle = (await installation.temporal()).workflow.getHandle(id);
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

  it('starts exactly one Job at each time of its schedule while the worker is killed again and again (J-9.33, J-9.38)', async () => {
    const [one] = await started('tick', 1);
    const first = one?.scheduledAt ?? 0;
    for (const count of [1, 2, 3]) {
      // The worker dies right after the request that starts the Job, or while it waits.
      await started('tick', count);
      await installation.kill('worker');
    }
    await jobsWhere(
      of('tick'),
      'has the last Job only',
      (jobs) => jobs.length === 1 && jobs[0]?.status?.succeeded === 1,
    );
    const starts = listStarts('tick');
    expect(starts.map(({ scheduledAt }) => (scheduledAt - first) / MINUTE)).toEqual([...starts.keys()]);
    // The first start was overdue.
    for (const { at, scheduledAt } of starts.slice(1)) {
      expect(at).toBeGreaterThanOrEqual(scheduledAt);
      expect(at).toBeLessThan(scheduledAt + LATE_MS);
    }
  }, 300_000);

  it('starts no second Job under Forbid, replaces the running Job under Replace, and adds Jobs under Allow (J-9.36, J-9.37)', async () => {
    await started('replace', 2);
    const [allowed, [replacing]] = await Promise.all([
      jobsWhere(of('allow'), 'has several Jobs that run', (jobs) => activePods(jobs).length > 1),
      jobsWhere(of('replace'), 'has one Job', (jobs) => jobs.length === 1 && activePods(jobs).length === 1),
    ]);
    expect(new Set(activePods(allowed))).toEqual(new Set([1]));
    expect(listStarts('replace').at(-1)?.job).toBe(replacing?.metadata.name);
    expect(await listJobs(of('forbid'))).toHaveLength(1);
    expect(listStarts('forbid')).toHaveLength(1);
  }, 120_000);

  it('has in SQL exactly the starts that the API server saw, and its live tables equal rebuilt tables', async () => {
    const names = ['tick', 'forbid', 'replace', 'allow', 'rest'];
    for (const name of names) await cronJobs.patch(name, { spec: { suspend: true } });
    for (const name of [...names, ...inDoubt]) expectNoneTwice(name);
    const runs = await eventually('SQL has the starts with their outcomes', 60, async () => {
      const rows = await installation.sql<{
        name: string;
        job: string;
        result: string | null;
        seen: boolean;
      }>(
        'select cron_job_name as name, job_name as job, result, status is not null as seen from jobledger.cron_job_runs where cron_job_name = any($1)',
        [names],
      );
      const created = rows.filter(({ result }) => result === 'created');
      const ofServer = names.flatMap((name) => listStarts(name).map(({ job }) => job)).toSorted();
      expect(created.map(({ job }) => job).toSorted()).toEqual(ofServer);
      expect(created.filter(({ seen }) => !seen)).toEqual([]);
      return rows;
    });
    expect(runs.length).toBeGreaterThan(6);
    // A start that was decided just before its CronJob was suspended, or before the worker was killed, may have no Job.
    const results = new Set(runs.map(({ result }) => result));
    expect(['created', 'stale', 'unknown', null]).toEqual(expect.arrayContaining([...results]));
    const ofDoubt = await installation.sql<{ result: string }>(
      'select distinct result from jobledger.cron_job_starts where cron_job_name = $1 order by 1',
      [inDoubt.at(-1)],
    );
    expect(ofDoubt.map(({ result }) => result)).toEqual(['created', 'unknown']);
    const rebuilt = await rebuildTables(installation.environment, '--check');
    expect(listDifferences(rebuilt)).toEqual([]);
  }, 180_000);
});
