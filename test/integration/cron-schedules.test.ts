import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CronJob, Job } from '../../workflows/kubernetes/objects.ts';
import { connectCronJobs, installCronJobs, MINUTE, type Start } from '../support/cron-jobs.ts';
import { eventually } from '../support/eventually.ts';
import type { Installation } from '../support/installation.ts';
import { listDifferences, rebuildTables } from '../support/rebuild.ts';
import { verifyAll } from '../support/verify.ts';

/** A start may be this late. */
const LATE_MS = 20_000;

let installation: Installation;

beforeAll(async () => {
  installation = await installCronJobs();
}, 240_000);

afterAll(() => installation?.stop(), 60_000);

const cronJobs = connectCronJobs(() => installation);
const { listJobs, jobsWhere, overdue, listStarts } = cronJobs;

/** Returns the number of active pods of each Job that has any. */
function activePods(jobs: readonly Job[]): number[] {
  return jobs.flatMap(({ status }) => status?.active ?? []);
}

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

describe('a CronJob that Jobledger starts every minute', () => {
  beforeAll(async () => {
    const sleep = ['sleep', '600'];
    made['tick'] = await cronJobs.create('tick', { successfulJobsHistoryLimit: 1 }, ['true']);
    made['forbid'] = await cronJobs.create('forbid', { concurrencyPolicy: 'Forbid' }, sleep);
    made['replace'] = await cronJobs.create('replace', { concurrencyPolicy: 'Replace' }, sleep);
    made['allow'] = await cronJobs.create('allow', {}, sleep);
    await Promise.all(Object.keys(made).map(overdue));
  });

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

  it('has only decisions that are the same when they are made again, and its live tables equal rebuilt tables', async () => {
    expect((await verifyAll(installation)).findings).toEqual([]);
    expect(listDifferences(await rebuildTables(installation.environment, '--check'))).toEqual([]);
  }, 180_000);
});
