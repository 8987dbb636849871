import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CronJob, CronJobSpec, Job } from '../../workflows/kubernetes/objects.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';

const MINUTE = 60_000;
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

const CRON_JOBS = '/apis/batch/v1/namespaces/default/cronjobs';

async function createCronJob(name: string, spec: Partial<CronJobSpec>, command: string[]): Promise<CronJob> {
  const template = {
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'none', command }] },
  };
  const body = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name },
    spec: { schedule: '* * * * *', ...spec, jobTemplate: { spec: { template } } },
  };
  return installation.cluster.client.request<CronJob>({ method: 'POST', path: CRON_JOBS, body });
}

function patched(name: string, body: object, subresource = ''): Promise<CronJob> {
  const path = `${CRON_JOBS}/${name}${subresource}`;
  const contentType = 'application/merge-patch+json';
  return installation.cluster.client.request<CronJob>({ method: 'PATCH', path, contentType, body });
}

/** As if the last start had been ten minutes ago: the newest of the missed times is due at once (J-9.40). */
function overdue(name: string): Promise<CronJob> {
  const lastScheduleTime = `${new Date(Date.now() - 10 * MINUTE).toISOString().slice(0, 19)}Z`;
  return patched(name, { status: { lastScheduleTime } }, '/status');
}

async function jobsOf({ metadata: { uid } }: CronJob): Promise<Job[]> {
  const path = '/apis/batch/v1/namespaces/default/jobs';
  const { items } = await installation.cluster.client.request<{ items: Job[] }>({ method: 'GET', path });
  return items
    .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

function jobsWhere(
  cronJob: CronJob,
  what: string,
  holds: (jobs: Job[]) => boolean,
  seconds = 30,
): Promise<Job[]> {
  return eventually(`${cronJob.metadata.name} ${what}`, seconds, async () => {
    const jobs = await jobsOf(cronJob);
    return holds(jobs) ? jobs : undefined;
  });
}

/** The starts by the API server's log: each Job that was created, and when, in milliseconds. */
function startsOf(name: string): { job: string; scheduledAt: number; at: number }[] {
  return installation
    .audit()
    .filter(
      ({ verb, objectRef, responseStatus }) =>
        verb === 'create' && objectRef?.resource === 'jobs' && responseStatus?.code === 201,
    )
    .flatMap(({ objectRef, requestReceivedTimestamp }) => {
      const job = objectRef?.name ?? '';
      const minute = job.startsWith(`${name}-`) ? Number(job.slice(name.length + 1)) : NaN;
      return Number.isNaN(minute)
        ? []
        : [{ job, scheduledAt: minute * MINUTE, at: Date.parse(requestReceivedTimestamp) }];
    });
}

/** How many pods run, of each Job that has any. */
function activeOf(jobs: readonly Job[]): number[] {
  return jobs.flatMap(({ status }) => status?.active ?? []);
}

describe('a CronJob', () => {
  it('starts a Job at each time of its schedule, exactly once, while the worker is killed again and again (J-9.33, J-9.38)', async () => {
    const tick = await createCronJob('tick', { successfulJobsHistoryLimit: 1 }, ['true']);
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
      createCronJob('forbid', { concurrencyPolicy: 'Forbid' }, sleep),
      createCronJob('replace', { concurrencyPolicy: 'Replace' }, sleep),
      createCronJob('allow', {}, sleep),
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
    const rest = await createCronJob('rest', { suspend: true }, ['true']);
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
    await patched('rest', { spec: { suspend: false } });
    await jobsWhere(rest, 'starts what was missed', (jobs) => jobs.length === 1);
  }, 120_000);

  it('ends its workflow when it is deleted', async () => {
    const brief = await createCronJob('brief', { suspend: true }, ['true']);
    const handle = (await installation.temporal()).workflow.getHandle(`local/${brief.metadata.uid}`);
    await eventually('it runs', 30, async () =>
      (await handle.describe().catch(() => null)) === null ? undefined : true,
    );
    await installation.cluster.client.request({ method: 'DELETE', path: `${CRON_JOBS}/brief` });
    const status = await eventually('it has ended', 30, async () => {
      const { name } = (await handle.describe()).status;
      return name === 'RUNNING' ? undefined : name;
    });
    expect(status).toBe('COMPLETED');
  }, 120_000);
});
