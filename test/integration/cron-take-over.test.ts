import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OUR_USERS } from '../../infra/local/cluster/accounts.ts';
import type { CronJob } from '../../workflows/kubernetes/objects.ts';
import { connectCronJobs, MINUTE } from '../support/cron-jobs.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { jobledger } from '../support/rebuild.ts';

// The built-in controllers of Jobs, CronJobs and TTL run first, then Jobledger takes over, and then the built-in ones again.
const BUILT_IN = 'local-kube-controller-manager';
const CRON_JOB_CONTROLLER = 'system:serviceaccount:kube-system:cronjob-controller';

let installation: Installation;
const { create, read, patch, overdue, listJobs, jobsWhere, listStarts } = connectCronJobs(() => installation);

/** These are the CronJobs by name, as they were created. */
const made: Record<string, CronJob> = {};

beforeAll(async () => {
  installation = await install({
    claim: 'all',
    clusters: [{ name: 'local', audit: [...OUR_USERS, CRON_JOB_CONTROLLER] }],
    environment: { JOBLEDGER_CONTROLLERS: 'job,cronjob,ttl' },
  });
}, 240_000);

afterAll(() => installation?.stop(), 60_000);

function of(name: string): CronJob {
  const cronJob = made[name];
  if (cronJob === undefined) throw new Error(`no CronJob ${name}`);
  return cronJob;
}

async function overdueNow(...names: string[]): Promise<void> {
  await Promise.all(names.map(overdue));
}

/** Returns in order who created the Jobs of a CronJob. */
function startedBy(name: string): string[] {
  return listStarts(name).map(({ by }) => (by === CRON_JOB_CONTROLLER ? 'built-in' : 'jobledger'));
}

describe('CronJobs that Jobledger takes over from the built-in controllers', () => {
  beforeAll(async () => {
    made['busy'] = await create('busy', { concurrencyPolicy: 'Forbid' }, ['sleep', '600']);
    made['tidy'] = await create('tidy', { successfulJobsHistoryLimit: 1 }, ['true']);
    made['missed'] = await create('missed', { suspend: true }, ['true']);
    await overdueNow('busy', 'tidy');
    await jobsWhere(of('busy'), 'has a Job that runs', (jobs) => jobs[0]?.status?.active === 1, 60);
    await jobsWhere(of('tidy'), 'has a Job that ended', (jobs) => jobs[0]?.status?.succeeded === 1, 60);
    await eventually('the status of tidy has its success', 30, async () =>
      (await read('tidy')).status?.lastSuccessfulTime === undefined ? undefined : true,
    );
    await installation.servers.halt(BUILT_IN);
    await overdueNow('busy', 'tidy', 'missed');
    await patch('missed', { spec: { suspend: false } });
    await installation.startServices();
  }, 240_000);

  it('retain their active Job, and under Forbid start no second Job beside it (J-9.36)', async () => {
    await jobsWhere(of('missed'), 'has a start', (jobs) => jobs.length > 0, 60);
    const [job] = await listJobs(of('busy'));
    expect(startedBy('busy')).toEqual(['built-in']);
    expect(job?.status?.active).toBe(1);
    expect((await read('busy')).status?.active).toMatchObject([{ uid: job?.metadata.uid }]);
  }, 120_000);

  it('start one Job for all missed times, at the most recent time (J-9.40)', async () => {
    await jobsWhere(of('missed'), 'has a Job that ended', ([job]) => job?.status?.succeeded === 1, 60);
    const starts = listStarts('missed');
    expect(new Set(starts.map(({ scheduledAt }) => scheduledAt)).size).toBe(starts.length);
    const [first] = starts;
    if (first === undefined) throw new Error('it has started');
    expect(first.at - first.scheduledAt).toBeLessThan(2 * MINUTE);
    expect(startedBy('missed')).not.toContain('built-in');
  }, 120_000);

  it('lose the Jobs that exceed the history limit, also those of the built-in controllers (J-9.47)', async () => {
    const before = listStarts('tidy').filter(({ by }) => by === CRON_JOB_CONTROLLER);
    const [left] = await jobsWhere(
      of('tidy'),
      'has a later Job only',
      (jobs) =>
        jobs.length === 1 &&
        jobs[0]?.status?.succeeded === 1 &&
        before.every(({ job }) => job !== jobs[0]?.metadata.name),
      120,
    );
    expect(left).toBeDefined();
  }, 180_000);

  it('can be returned to the built-in controllers, which continue their Jobs and schedules without a second start', async () => {
    const ours = ['tidy', 'missed'];
    await installation.haltServices();
    const taken = new Map(ours.map((name) => [name, listStarts(name).length]));
    await installation.servers.start(BUILT_IN);
    await patch('busy', { spec: { concurrencyPolicy: 'Replace' } });
    for (const name of ours)
      await eventually(`${name} has a start of the built-in controller`, 120, () =>
        Promise.resolve(startedBy(name).slice(taken.get(name)).includes('built-in') ? true : undefined),
      );
    await eventually('busy is replaced', 120, () =>
      Promise.resolve(listStarts('busy').length > 1 ? true : undefined),
    );
    for (const name of Object.keys(made)) {
      const starts = listStarts(name).map(({ scheduledAt }) => scheduledAt);
      expect(new Set(starts).size).toBe(starts.length);
    }
    await jobsWhere(
      of('tidy'),
      'has a success',
      (jobs) => jobs.some(({ status }) => status?.succeeded === 1),
      60,
    );
  }, 300_000);
});

describe('the ledger of CronJobs that Jobledger took over', () => {
  it('has only decisions that are the same when they are made again from the ledger', async () => {
    const { exitCode, stdout } = await jobledger(installation.environment, 'admin', 'verify', '--all');
    expect(stdout).toMatch(/of [1-9]\d* Jobs and [3-9] CronJobs repeated: no difference/);
    expect(exitCode).toBe(0);
  }, 60_000);
});
