import { describe, expect, it } from '@jest/globals';
import { KubernetesApiError, UnavailableError } from '../../services/adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { createMetrics } from '../../services/adapters/metrics/metrics.ts';
import type { WatchedVersion } from '../../services/shards/watched.ts';
import { carryOutCronJob } from '../../services/worker/activities/carry-out-kinds.ts';
import { NO_PROGRESS } from '../../services/worker/activities/attempt/progress.ts';
import { ruleCounter } from '../../services/worker/metrics.ts';
import type { CronCommand } from '../../workflows/cron-job/commands.ts';
import type { CronJobDecided } from '../../workflows/cron-job/events.ts';
import type { CronOutcome } from '../../workflows/cron-job/outcomes.ts';
import type { Unstamped } from '../../workflows/ledger/recorded-event.ts';
import type { CronJob, CronJobSpec, Job } from '../../workflows/kubernetes/objects.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { aWorld, decideOnce, time, UID, work } from '../cron-job/world.ts';

const FIRST = time('2026-03-01T12:01:00.100Z');

/** An API server with one CronJob, in memory. */
interface Server {
  client: KubernetesClient;
  cronJob: CronJob;
  jobs: Map<string, Job>;
  /** Names of the Jobs that were ever created. */
  created: string[];
  asked: string[];
  /** What the next requests of a method get instead of an answer, after they were carried out. */
  lost: { method: string; error: Error; isCarriedOut: boolean }[];
}

function apiError(status: number, reason: string, message = reason): KubernetesApiError {
  return new KubernetesApiError({ status, reason, message, causes: [] });
}

function aServer(cronJob: CronJob): Server {
  const server: Server = {
    client: {
      cluster: 'east',
      stream: () => Promise.reject(new Error('not asked for')),
      request: <T>(request: ApiRequest): Promise<T> => {
        server.asked.push(`${request.method} ${request.path.split('/').at(-1)}`);
        const at = server.lost.findIndex(({ method }) => method === request.method);
        const [lost] = at < 0 ? [] : server.lost.splice(at, 1);
        if (lost !== undefined && !lost.isCarriedOut) return Promise.reject(lost.error);
        const answer = answerRequest(server, request);
        return lost === undefined ? (answer as Promise<T>) : answer.then(() => Promise.reject(lost.error));
      },
    },
    cronJob,
    jobs: new Map(),
    created: [],
    asked: [],
    lost: [],
  };
  return server;
}

function answerRequest(
  { cronJob, jobs, created }: Server,
  { method, path, body }: ApiRequest,
): Promise<unknown> {
  const name = path.split('/').at(-1) ?? '';
  if (name === 'events') return Promise.resolve({});
  if (path.includes('/cronjobs/')) return Promise.resolve(cronJob);
  if (name.startsWith('jobs?limit=1'))
    return Promise.resolve({ metadata: { resourceVersion: '700' }, items: [] });
  if (method === 'POST') {
    const job = body as Job;
    if (jobs.has(job.metadata.name)) return Promise.reject(apiError(409, 'AlreadyExists'));
    created.push(job.metadata.name);
    const metadata = {
      ...job.metadata,
      uid: `uid-${created.length}`,
      resourceVersion: String(600 + created.length),
      creationTimestamp: '2026-03-01T12:01:00Z',
    };
    jobs.set(job.metadata.name, { ...job, metadata });
    return Promise.resolve(jobs.get(job.metadata.name));
  }
  const job = jobs.get(name);
  return job === undefined ? Promise.reject(notFound(name)) : Promise.resolve(job);
}

function notFound(name: string): KubernetesApiError {
  return apiError(404, 'NotFound', `jobs.batch "${name}" not found`);
}

/** The first start of a CronJob of every minute: its decision, and the server before it is carried out. */
function aStart(spec: Partial<CronJobSpec> = {}): { server: Server; decided: Unstamped<CronJobDecided> } {
  const world = aWorld(spec, '2026-03-01T12:00:00Z');
  work(world);
  world.now = FIRST;
  const { decided } = decideOnce(world);
  if (decided === null) throw new Error('nothing was decided');
  return { server: aServer(world.cronJob), decided };
}

interface Carrying {
  attempt?: number;
  now?: number;
  watched?: WatchedVersion | null;
  ledger?: LedgerEvent[];
}

/** Carries the decision out; returns the outcome of its first command. */
async function carriedOut(
  { server, decided }: { server: Server; decided: Unstamped<CronJobDecided> },
  { attempt = 1, now = FIRST, watched = null, ledger = [] }: Carrying = {},
): Promise<CronOutcome | undefined> {
  const answered = await carryOutCronJob(
    {
      client: server.client,
      appender: {
        append: (events: readonly LedgerEvent[]) => {
          ledger.push(...events);
          return Promise.resolve();
        },
      },
      log: silentLog(),
      now: () => now,
      watched: () => Promise.resolve(watched),
      countRules: ruleCounter(createMetrics()),
      onCreated: () => undefined,
      reportOlder: () => undefined,
    },
    {
      job: { cluster: 'east', uid: UID, namespace: 'default', name: 'tick', kind: 'CronJob' },
      folded: [],
      decided,
    },
    { number: attempt, signal: new AbortController().signal, before: NO_PROGRESS, report: () => undefined },
  );
  return answered[0]?.data.outcome;
}

const LOST = new UnavailableError('the response was lost');

describe('the creation of a Job whose response is lost', () => {
  it('counts as done when the Job is then found', async () => {
    const start = aStart();
    start.server.lost = [{ method: 'POST', error: LOST, isCarriedOut: true }];
    expect(await carriedOut(start)).toMatchObject({ result: 'created', existing: true });
    expect(start.server.created).toHaveLength(1);
  });

  it('has an unknown outcome, and is not sent again, when the Job does not exist any more at the next attempt', async () => {
    const start = aStart();
    const down = { method: 'GET', error: LOST, isCarriedOut: false };
    start.server.lost = [{ method: 'POST', error: LOST, isCarriedOut: true }];
    const first = carriedOut(start);
    start.server.lost.push(down);
    await first.catch(() => undefined);
    start.server.jobs.clear();
    expect(await carriedOut(start, { attempt: 2 })).toMatchObject({ result: 'unknown', after: '700' });
    expect(start.server.created).toHaveLength(1);
  });

  it.each([
    ['a gateway times out', apiError(504, 'Timeout')],
    ['etcd does not answer', apiError(500, 'ServerTimeout')],
  ])('has an unknown outcome when %s', async (_title, error) => {
    const start = aStart();
    start.server.lost = [{ method: 'POST', error, isCarriedOut: false }];
    expect(await carriedOut(start)).toMatchObject({ result: 'unknown', after: '700' });
  });

  it('has an unknown outcome when, in the next attempt, the replacement of Jobs before it fails', async () => {
    const start = aStart();
    const replace: CronCommand = {
      kind: 'ReplaceJobs',
      preconditions: { generation: 1, deadline: null },
      jobs: [{ uid: 'u', name: 'a' }],
      why: { rule: 'J-9.37', message: '' },
    };
    start.decided.data.commands = [replace, ...start.decided.data.commands];
    const ledger: LedgerEvent[] = [];
    await carriedOut(start, { attempt: 2, ledger });
    const outcomes = ledger.flatMap((event) =>
      event.type === 'outcome.recorded' ? [event.data.outcome] : [],
    );
    expect(outcomes).toMatchObject([{ kind: 'ReplaceJobs' }, { kind: 'CreateJob', result: 'unknown' }]);
  });
});

describe('the creation of a Job that is not sent, or is refused', () => {
  it('is done later in the attempt when the server did not answer the reads before it', async () => {
    const start = aStart();
    start.server.lost = [LOST, LOST].map((error) => ({ method: 'GET', error, isCarriedOut: false }));
    expect(await carriedOut(start)).toMatchObject({ result: 'created' });
  });

  it('counts as failed when the server refuses it because of too many requests', async () => {
    const start = aStart();
    start.server.lost = [{ method: 'POST', error: apiError(429, 'TooManyRequests'), isCarriedOut: false }];
    expect(await carriedOut(start)).toMatchObject({ result: 'failed', error: { status: 429 } });
  });
});

describe('a start of a CronJob that is carried out late', () => {
  const hour = FIRST + 3_600_000;

  it.each<[string, Partial<CronJobSpec>, string]>([
    ['the CronJob was suspended', { suspend: true }, 'the CronJob is suspended'],
    [
      'its schedule has changed',
      { schedule: '0 0 1 1 *' },
      'the spec has changed: generation 2, decided on 1',
    ],
  ])('is stale when %s', async (_title, spec, why) => {
    const start = aStart();
    const { cronJob } = start.server;
    start.server.cronJob = {
      ...cronJob,
      metadata: { ...cronJob.metadata, generation: 2, resourceVersion: '900' },
      spec: { ...cronJob.spec, ...spec },
    };
    expect(await carriedOut(start, { now: hour })).toMatchObject({
      kind: 'stale',
      commandKind: 'CreateJob',
      why,
    });
    expect(start.server.created).toEqual([]);
  });

  it('is stale when its starting deadline has passed, and no Job is replaced or created', async () => {
    const start = aStart({ startingDeadlineSeconds: 10 });
    expect(await carriedOut(start, { now: FIRST + 9000 })).toMatchObject({ result: 'created' });
    const late = aStart({ startingDeadlineSeconds: 10 });
    expect(await carriedOut(late, { now: hour })).toMatchObject({ why: 'the starting deadline has passed' });
    expect(late.server.asked.filter((each) => !each.endsWith('events'))).toEqual(['GET tick']);
  });
});

describe('the command to wait for the watch of Jobs', () => {
  const wait = { kind: 'AwaitWatch', resource: 'jobs', why: { rule: 'J-9.38', message: '' } } as const;

  async function awaited(watched: WatchedVersion | null, epoch?: number): Promise<(string | undefined)[]> {
    const start = aStart();
    const of = epoch === undefined ? {} : { epoch };
    start.decided.data.commands = [{ ...wait, resourceVersion: '700', ...of }];
    const ledger: LedgerEvent[] = [];
    const outcome = await carriedOut(start, { watched, ledger });
    const passed = ledger.find(({ type }) => type === 'watch.passed');
    return [outcome?.kind === 'AwaitWatch' ? outcome.result : undefined, passed?.id];
  }

  it('records in the stream of the CronJob, when it is so, that the watch has passed the version', async () => {
    expect(await awaited({ resourceVersion: '700' })).toEqual(['passed', `east/${UID}/watch/jobs/700`]);
    expect(await awaited({ resourceVersion: '1000', epoch: 1 }, 1)).toEqual([
      'passed',
      `east/${UID}/watch/jobs/700/epoch/1`,
    ]);
  });

  it('records no event while the watch is behind, of another epoch, or silent', async () => {
    expect(await awaited({ resourceVersion: '699' })).toEqual(['behind', undefined]);
    expect(await awaited({ resourceVersion: '1000', epoch: 1 })).toEqual(['behind', undefined]);
    expect(await awaited(null)).toEqual(['behind', undefined]);
  });
});
