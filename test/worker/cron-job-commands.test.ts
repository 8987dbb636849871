import { describe, expect, it } from '@jest/globals';
import { KubernetesApiError } from '../../services/adapters/errors.ts';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import { hasFailed } from '../../services/worker/activities/cron-job/commands.ts';
import { createJob } from '../../services/worker/activities/cron-job/create-job.ts';
import type { CronContext } from '../../services/worker/activities/cron-job/cron-context.ts';
import { deleteJobs, replaceJobs } from '../../services/worker/activities/cron-job/delete-jobs.ts';
import { createReadLiveOnce } from '../../services/worker/activities/cron-job/live-cron-job.ts';
import { lookUpCronJob, lookUpJobs } from '../../services/worker/activities/cron-job/look-up.ts';
import { writeStatus } from '../../services/worker/activities/cron-job/write-status.ts';
import type { CronCommandOf } from '../../workflows/cron-job/commands.ts';
import type { Reason } from '../../workflows/decision/reason.ts';
import type { CronJob } from '../../workflows/kubernetes/objects.ts';
import { aWorld, putJob, UID, type World } from '../cron-job/world.ts';

const NOT_FOUND = apiError(404, 'NotFound');
const CONFLICT = apiError(409, 'Conflict');
const EXISTS = apiError(409, 'AlreadyExists');
const DOWN = apiError(500, 'InternalError');
const WHY: Reason = { rule: 'J-9.37', message: 'a start is due' };

function apiError(status: number, reason: string): KubernetesApiError {
  return new KubernetesApiError({ status, reason, message: `${reason} of the server`, causes: [] });
}

/** An API server that answers `METHOD path` with an object or an error, and anything else with 404. */
function aContext(answers: Record<string, object>): CronContext & { requests: ApiRequest[] } {
  const requests: ApiRequest[] = [];
  const request = <T>(asked: ApiRequest): Promise<T> => {
    requests.push(asked);
    const answer = answers[`${asked.method} ${asked.path.split('/namespaces/default/')[1]}`] ?? NOT_FOUND;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as T);
  };
  const context = {
    client: { cluster: 'east', request, stream: () => Promise.reject(new Error('not asked for')) },
    job: { cluster: 'east', uid: UID, namespace: 'default', name: 'tick', kind: 'CronJob' as const },
    signal: new AbortController().signal,
    attempt: 1,
    now: () => Date.parse('2026-03-01T12:01:01Z'),
    pause: () => Promise.resolve(),
    answers: true,
    watched: () => Promise.resolve(null),
    recordPassed: () => Promise.resolve(),
    requests,
  };
  return { ...context, live: createReadLiveOnce(context) };
}

function aTick(): World {
  return aWorld({}, '2026-03-01T12:00:00Z');
}

const PRECONDITIONS = { generation: 1, deadline: null };
const start: CronCommandOf<'CreateJob'> = {
  kind: 'CreateJob',
  preconditions: PRECONDITIONS,
  name: 'tick-1',
  scheduledAt: '2026-03-01T12:01:00Z',
  annotation: '2026-03-01T12:01:00Z',
  why: WHY,
};

describe('the creation of the Job of a start', () => {
  const { cronJob } = aTick();

  it('takes the template from the present CronJob on the server (J-9.46)', async () => {
    const job = putJob(aTick(), 'tick-1');
    const context = aContext({ 'GET cronjobs/tick': cronJob, 'POST jobs': job });
    expect(await createJob(context, start)).toMatchObject({ result: 'created', job: { name: 'tick-1' } });
    const body = context.requests.at(-1)?.body as { metadata: object; spec: object };
    expect(body).toMatchObject({
      metadata: {
        name: 'tick-1',
        labels: { app: 'tick' },
        annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-03-01T12:01:00Z' },
        ownerReferences: [{ kind: 'CronJob', uid: UID, controller: true }],
      },
      spec: { completions: 2 },
    });
  });

  it('creates no Job when the CronJob is deleted, or another CronJob has its name', async () => {
    const other: CronJob = { ...cronJob, metadata: { ...cronJob.metadata, uid: 'other' } };
    for (const answers of [{}, { 'GET cronjobs/tick': other }]) {
      const context = aContext(answers);
      expect(await createJob(context, start)).toEqual({ kind: 'CreateJob', result: 'gone' });
      expect(context.requests.map(({ method }) => method)).toEqual(['GET']);
    }
  });

  it('counts as done when an earlier attempt created the Job (J-9.38)', async () => {
    const job = putJob(aTick(), 'tick-1');
    const context = aContext({ 'GET cronjobs/tick': cronJob, 'POST jobs': EXISTS, 'GET jobs/tick-1': job });
    expect(await createJob(context, start)).toMatchObject({ result: 'created', existing: true });
  });

  it('reports the name as taken, and changes nothing, when a Job of another client has it', async () => {
    const job = putJob(aTick(), 'tick-1', 'somebody');
    const context = aContext({ 'GET cronjobs/tick': cronJob, 'POST jobs': EXISTS, 'GET jobs/tick-1': job });
    expect(await createJob(context, start)).toEqual({
      kind: 'CreateJob',
      result: 'taken',
      by: 'which CronJob tick controls',
    });
  });

  it('has failed when the server answers with an error, which is in its outcome', async () => {
    const context = aContext({ 'GET cronjobs/tick': cronJob, 'POST jobs': DOWN });
    expect(await createJob(context, start)).toMatchObject({
      result: 'failed',
      error: { status: 500, reason: 'InternalError' },
    });
  });
});

describe('the deletion of Jobs of a CronJob', () => {
  const jobs = ['a', 'b'].map((name) => ({ name, uid: `uid-of-${name}` }));
  const there = { 'GET jobs/a': putJob(aTick(), 'a'), 'GET jobs/b': putJob(aTick(), 'b') };

  it('requires the UID of each Job, so that a later Job of the same name stays (B-28)', async () => {
    const context = aContext({ ...there, 'DELETE jobs/a': {}, 'DELETE jobs/b': {} });
    const { jobs: outcomes } = await deleteJobs(context, { kind: 'DeleteJobs', jobs, why: WHY });
    expect(outcomes.map(({ result }) => result)).toEqual(['done', 'done']);
    const deletions = context.requests.filter(({ method }) => method === 'DELETE');
    expect(deletions.map(({ body }) => body)).toMatchObject([
      { preconditions: { uid: 'uid-of-a' }, propagationPolicy: 'Background' },
      { preconditions: { uid: 'uid-of-b' }, propagationPolicy: 'Background' },
    ]);
  });

  it('continues after an error when the Jobs exceed the history limits (J-9.47)', async () => {
    const context = aContext({ ...there, 'DELETE jobs/a': DOWN, 'DELETE jobs/b': {} });
    const outcome = await deleteJobs(context, { kind: 'DeleteJobs', jobs, why: WHY });
    expect(outcome.jobs.map(({ result }) => result)).toEqual(['failed', 'done']);
    expect(hasFailed({ ...outcome, at: 0 })).toBe(false);
  });

  it('deletes only Jobs that the CronJob controls', async () => {
    const context = aContext({ 'GET jobs/a': putJob(aTick(), 'a', 'somebody'), 'DELETE jobs/a': {} });
    for (const act of [deleteJobs, replaceJobs] as const) {
      const kind = act === deleteJobs ? 'DeleteJobs' : 'ReplaceJobs';
      await act(context, { kind, jobs, why: WHY } as never);
    }
    expect(context.requests.map(({ method }) => method)).not.toContain('DELETE');
  });

  it('stops at the first error when the Jobs are replaced, and has then failed (J-9.37)', async () => {
    const world = aTick();
    const [a, b] = [putJob(world, 'a'), putJob(world, 'b')];
    const found = { 'GET jobs/a': a, 'GET jobs/b': b };
    const replace: CronCommandOf<'ReplaceJobs'> = {
      kind: 'ReplaceJobs',
      preconditions: PRECONDITIONS,
      jobs,
      why: WHY,
    };
    const refused = await replaceJobs(aContext({ ...found, 'DELETE jobs/a': DOWN }), replace);
    expect(refused).toMatchObject({ jobs: [{ name: 'a', result: 'failed' }] });
    expect(hasFailed({ ...refused, at: 0 })).toBe(true);
    const done = await replaceJobs(aContext({ ...found, 'DELETE jobs/a': {}, 'DELETE jobs/b': {} }), replace);
    expect(hasFailed({ ...done, at: 0 })).toBe(false);
    const unread = await replaceJobs(aContext({ 'GET jobs/b': b }), replace);
    expect(unread).toMatchObject({ reading: true, jobs: [{ name: 'a', result: 'failed' }] });
  });

  it('does not delete another Job with the name of a replaced Job', async () => {
    const other = { ...putJob(aTick(), 'a') };
    other.metadata = { ...other.metadata, uid: 'later' };
    const context = aContext({ 'GET jobs/a': other, 'DELETE jobs/a': {} });
    await replaceJobs(context, { kind: 'ReplaceJobs', preconditions: PRECONDITIONS, jobs, why: WHY });
    expect(context.requests.map(({ method }) => method)).not.toContain('DELETE');
  });

  it('counts as refused when a webhook answers 409 and the Job still exists', async () => {
    const context = aContext({ 'DELETE jobs/a': CONFLICT, 'GET jobs/a': putJob(aTick(), 'a') });
    const outcome = await deleteJobs(context, { kind: 'DeleteJobs', jobs: jobs.slice(0, 1), why: WHY });
    expect(outcome.jobs).toMatchObject([{ result: 'failed', error: { status: 403 } }]);
  });
});

describe('the write of the status of a CronJob', () => {
  const { cronJob } = aTick();
  const to = { lastScheduleTime: '2026-03-01T12:01:00Z' };
  const write: CronCommandOf<'WriteStatus'> = {
    kind: 'WriteStatus',
    resourceVersion: '100',
    from: { active: [] },
    to,
    why: WHY,
  };

  it('is a patch that requires the UID and the version that the decision knew (J-9.20)', async () => {
    const context = aContext({ 'PATCH cronjobs/tick/status': { ...cronJob, status: to } });
    expect(await writeStatus(context, write)).toMatchObject({ result: 'written' });
    expect(context.requests[0]?.body).toEqual({
      metadata: { uid: UID, resourceVersion: '100' },
      status: { active: null, ...to },
    });
  });

  it('counts after a 409 as done when the status is there, as gone without the CronJob, and else as a conflict', async () => {
    const changed = { 'PATCH cronjobs/tick/status': CONFLICT };
    const done = { ...changed, 'GET cronjobs/tick': { ...cronJob, status: to } };
    expect(await writeStatus(aContext(done), write)).toMatchObject({ result: 'written' });
    const other = { ...changed, 'GET cronjobs/tick': cronJob };
    expect(await writeStatus(aContext(other), write)).toMatchObject({ result: 'conflict' });
    expect(await writeStatus(aContext(changed), write)).toEqual({ kind: 'WriteStatus', result: 'gone' });
    expect(await writeStatus(aContext({}), write)).toEqual({ kind: 'WriteStatus', result: 'gone' });
  });
});

describe('a look-up by the worker', () => {
  it('has the facts of the CronJob, or null when it does not exist, or an error', async () => {
    const { cronJob } = aTick();
    const found = await lookUpCronJob(aContext({ 'GET cronjobs/tick': cronJob }));
    expect(found).toMatchObject({ result: 'done', cronJob: { name: 'tick' } });
    expect(await lookUpCronJob(aContext({}))).toMatchObject({ result: 'done', cronJob: null });
    expect(await lookUpCronJob(aContext({ 'GET cronjobs/tick': DOWN }))).toMatchObject({ result: 'failed' });
  });

  it('has a result for each Job: found, gone, controlled by another, or unreadable (J-9.31)', async () => {
    const world = aTick();
    const names = ['here', 'gone', 'adopted', 'unreadable'];
    const jobs = names.map((name) => ({ name, uid: `uid-of-${name}` }));
    const answers = {
      'GET jobs/here': putJob(world, 'here'),
      'GET jobs/adopted': putJob(world, 'adopted', 'somebody'),
      'GET jobs/unreadable': DOWN,
    };
    const { jobs: found } = await lookUpJobs(aContext(answers), { kind: 'LookUpJobs', jobs, why: WHY });
    expect(found.map((each) => [each.name, each.result, 'job' in each])).toEqual([
      ['here', 'found', true],
      ['gone', 'gone', false],
      ['adopted', 'found', false],
      ['unreadable', 'failed', false],
    ]);
  });
});
