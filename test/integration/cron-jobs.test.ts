import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CronJob } from '../../workflows/kubernetes/objects.ts';
import { connectCronJobs, installCronJobs } from '../support/cron-jobs.ts';
import { eventually } from '../support/eventually.ts';
import type { Installation } from '../support/installation.ts';
import { listDifferences, rebuildTables } from '../support/rebuild.ts';
import { workflowId } from '../../services/adapters/temporal/names.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await installCronJobs();
}, 240_000);

afterAll(() => installation?.stop(), 60_000);

const cronJobs = connectCronJobs(() => installation);
const { jobsWhere, overdue, listStarts } = cronJobs;

/** These CronJobs have a start in doubt. */
let inDoubt: string[] = [];

/** These are the CronJobs by name, as they were created. */
const made: Record<string, CronJob> = {};

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

  it('has in SQL exactly the starts that the API server saw, and its live tables equal rebuilt tables', async () => {
    const names = ['tick', 'forbid', 'replace', 'allow', 'rest'];
    for (const [name, cronJob] of Object.entries(made))
      await jobsWhere(cronJob, `starts what ${name} missed`, (jobs) => jobs.length > 0);
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
    expect(runs.length).toBeGreaterThan(4);
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
