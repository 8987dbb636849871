import { OUR_USERS } from '../../infra/local/cluster/accounts.ts';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { trueCondition } from '../../workflows/batch/conditions.ts';
import { failingFirst } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';

let installation: Installation;
const scratch = mkdtempSync(join(tmpdir(), 'jobledger-e2e-'));

beforeAll(async () => {
  installation = await install({ environment: { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '4000' } });
  await installation.startServices();
}, 120_000);

afterAll(() => installation?.stop(), 30_000);

const types = (job: Job): string[] =>
  (job.status?.conditions ?? []).map(({ type, status }) => `${type}=${status}`);

describe('a Job that succeeds', () => {
  it('is Complete, with the same status and Events as under the built-in controller (J-A.1)', async () => {
    const { cluster } = installation;
    await cluster.createJob('one', {}, { command: ['true'] });
    const job = await cluster.finished('one');
    const { conditions: _conditions, startTime, completionTime, ...counters } = job.status ?? {};
    expect(types(job)).toEqual(['SuccessCriteriaMet=True', 'Complete=True']);
    expect(counters).toEqual({ ready: 0, terminating: 0, succeeded: 1, uncountedTerminatedPods: {} });
    expect(Date.parse(completionTime ?? '')).toBeGreaterThanOrEqual(Date.parse(startTime ?? ''));
    const [pod] = await cluster.listPods('one');
    expect(pod?.metadata.finalizers).toBeUndefined();
    expect(pod?.metadata.generateName).toBe('one-');
    const events = await eventually('both Events', 10, async () => {
      const found = await cluster.eventsOn(job);
      return found.length === 2 ? found : undefined;
    });
    expect(events).toEqual([
      `SuccessfulCreate: Created pod: ${pod?.metadata.name}`,
      'Completed: Job completed',
    ]);
  });

  it('has exactly as many pods as spec.completions when no pod fails (J-5.11)', async () => {
    const { cluster } = installation;
    await cluster.createJob('many', { parallelism: 3, completions: 7 }, { command: ['sleep', '0.5'] });
    const job = await cluster.finished('many');
    expect(job.status).toMatchObject({ succeeded: 7, ready: 0, terminating: 0 });
    expect(await cluster.listPods('many')).toHaveLength(7);
  });

  it('is Complete, if it has no spec.completions, when a pod has succeeded and no pod is active (J-5.11)', async () => {
    const { cluster } = installation;
    await cluster.createJob('queue', { parallelism: 2 }, { command: ['sleep', '0.5'] });
    const job = await cluster.finished('queue');
    expect(job.status?.succeeded).toBe(2);
    expect(trueCondition(job.status ?? {}, 'Complete')?.reason).toBe('CompletionsReached');
  });
});

describe('a Job whose pods fail', () => {
  it('waits after each failure before the next pod, and succeeds (J-5.40)', async () => {
    const { cluster } = installation;
    await cluster.createJob('flaky', {}, { command: failingFirst(2, mkdtempSync(join(scratch, 'flaky-'))) });
    const job = await cluster.finished('flaky');
    expect(job.status).toMatchObject({ succeeded: 1, failed: 2 });
    const waiting = await installation.sql<{ message: string }>(
      "select waiting_message as message from jobledger.decisions where job_name = 'flaky' and waiting_rule = 'J-5.40' and not superseded order by number",
    );
    expect(waiting.map(({ message }) => message.replace(/.*: /, ''))).toEqual([
      'back-off after 1 failure in a row',
      'back-off after 2 failures in a row',
    ]);
  });

  it('fails when more pods fail than backoffLimit allows (J-6.1)', async () => {
    const { cluster } = installation;
    await cluster.createJob('hopeless', { backoffLimit: 1 }, { command: ['false'] });
    const job = await cluster.finished('hopeless');
    expect(types(job)).toEqual(['FailureTarget=True', 'Failed=True']);
    expect(job.status?.failed).toBe(2);
    expect(trueCondition(job.status ?? {}, 'Failed')).toMatchObject({
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
    });
    expect(await cluster.listPods('hopeless')).toHaveLength(2);
  });

  it('has its other running pods deleted and counted as failed when one pod exceeds the limit (J-6.3)', async () => {
    const { cluster } = installation;
    const once = failingFirst(1, mkdtempSync(join(scratch, 'mixed-')));
    await cluster.createJob(
      'mixed',
      { parallelism: 3, backoffLimit: 0 },
      { command: ['sh', '-c', `sleep 1; ${once[2]?.replace('exit 0', 'sleep 60')}`] },
    );
    const job = await cluster.finished('mixed');
    expect(job.status).toMatchObject({ failed: 3, ready: 0, terminating: 0 });
  });
});

describe('an Indexed Job', () => {
  it('gives each container its completion index, and SQL shows how each index ended (J-5.6)', async () => {
    const { cluster, sql } = installation;
    const { metadata } = await cluster.createJob(
      'by-index',
      { completionMode: 'Indexed', parallelism: 3, completions: 4, backoffLimitPerIndex: 0 },
      { command: ['sh', '-c', 'exit $JOB_COMPLETION_INDEX'] },
    );
    const job = await cluster.finished('by-index');
    expect(job.status).toMatchObject({
      succeeded: 1,
      failed: 3,
      completedIndexes: '0',
      failedIndexes: '1-3',
    });
    expect(trueCondition(job.status ?? {}, 'Failed')?.reason).toBe('FailedIndexes');
    const rows = await eventually('a row for each pod', 10, async () => {
      const found = await sql<{ completion_index: number; exit_code: number; counted_as: string }>(
        'select completion_index, exit_code, counted_as from jobledger.pods where job_uid = $1 and counted_as is not null order by 1',
        [metadata.uid],
      );
      return found.length === 4 ? found : undefined;
    });
    expect(rows.map(Object.values)).toEqual([
      [0, 0, 'succeeded'],
      [1, 1, 'failed'],
      [2, 2, 'failed'],
      [3, 3, 'failed'],
    ]);
  });
});

describe('a Job with a deadline', () => {
  it('fails when its active time reaches the deadline, and its pods are deleted (J-6.5)', async () => {
    const { cluster } = installation;
    await cluster.createJob(
      'late',
      { activeDeadlineSeconds: 3, parallelism: 2 },
      { command: ['sleep', '60'] },
    );
    const job = await cluster.finished('late');
    const target = trueCondition(job.status ?? {}, 'FailureTarget');
    expect(target).toMatchObject({
      reason: 'DeadlineExceeded',
      message: 'Job was active longer than specified deadline',
    });
    expect(Date.parse(target?.lastTransitionTime ?? '') - Date.parse(job.status?.startTime ?? '')).toBe(3000);
    expect(job.status?.failed).toBe(2);
  });
});

describe('a suspension of a Job', () => {
  it('deletes the pods, when a patch of the spec asks for it, without counting them, and the resumed Job runs new pods (J-6.41, J-6.42)', async () => {
    const { cluster } = installation;
    await cluster.createJob('pausing', { parallelism: 2, completions: 2 }, { command: ['sleep', '4'] });
    await cluster.jobWhere('pausing', 'has ready pods', ({ status }) => status?.ready === 2);
    await cluster.patchJob('pausing', { spec: { suspend: true } });
    const suspended = await cluster.jobWhere(
      'pausing',
      'is suspended',
      ({ status }) => trueCondition(status ?? {}, 'Suspended') !== undefined,
    );
    expect(suspended.status?.startTime).toBeUndefined();
    expect(suspended.status?.active).toBeUndefined();
    await cluster.patchJob('pausing', { spec: { suspend: false } });
    const job = await cluster.finished('pausing');
    expect(types(job)).toEqual(['Suspended=False', 'SuccessCriteriaMet=True', 'Complete=True']);
    expect(job.status).toMatchObject({ succeeded: 2 });
    expect(job.status?.failed).toBeUndefined();
  });

  it('is recorded, when a signal asks for it, before the decision that carries it out, and a repeated suspension is refused', async () => {
    const { cluster, sql } = installation;
    const { metadata } = await cluster.createJob('signalled', {}, { command: ['sleep', '60'] });
    await cluster.jobWhere('signalled', 'has a pod', ({ status }) => status?.active === 1);
    const client = await installation.temporal();
    const handle = client.workflow.getHandle(`local/${metadata.uid}`);
    await handle.signal('suspend', { by: 'a test' });
    await cluster.jobWhere(
      'signalled',
      'is suspended',
      ({ spec, status }) => spec.suspend === true && trueCondition(status ?? {}, 'Suspended') !== undefined,
    );
    await handle.signal('suspend', { by: 'a test' });
    await handle.signal('resume', { by: 'a test' });
    await cluster.jobWhere(
      'signalled',
      'runs again',
      ({ spec, status }) => spec.suspend === false && status?.active === 1,
    );
    const recorded = await eventually('the refusal is recorded', 10, async () => {
      const rows = await sql<{ what: string }>(
        "select coalesce(data->>'action', data->'commands'->0->>'kind') as what from jobledger.events where job_uid = $1 and (type = 'request.received' or id in (select id from jobledger.decisions where job_uid = $1 and not superseded)) order by kafka_offset",
        [metadata.uid],
      );
      const what = rows
        .map((row) => row.what)
        .filter((each) => ['suspend', 'resume', 'SetSuspend', 'RefuseRequest'].includes(each));
      return what.includes('RefuseRequest') && what.filter((each) => each === 'SetSuspend').length === 2
        ? what
        : undefined;
    });
    expect(recorded[0]).toBe('suspend');
    expect(recorded[1]).toBe('SetSuspend');
    await client.connection.close();
    await cluster.deleteJob('signalled', 'Background');
  });
});

describe('the deletion of a running Job', () => {
  it.each(['Background', 'Foreground', 'Orphan'] as const)(
    'leaves no finalizer on its pods, and ends its workflow (%s)',
    async (policy) => {
      const { cluster } = installation;
      const name = `gone-${policy.toLowerCase()}`;
      const { metadata } = await cluster.createJob(name, { parallelism: 2 }, { command: ['sleep', '60'] });
      await cluster.jobWhere(name, 'has pods', ({ status }) => status?.active === 2);
      await cluster.deleteJob(name, policy);
      const left = await eventually('the Job is gone and its pods are released', 30, async () => {
        const [job, pods] = [await cluster.job(name), await cluster.listPods(name)];
        const kept = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
        const isFree = pods.every((pod) => pod.metadata.finalizers === undefined);
        // With the policy Background, pods are deleted some time after their Job.
        return job === undefined && isFree && kept.length === (policy === 'Orphan' ? 2 : 0)
          ? kept
          : undefined;
      });
      expect(left).toHaveLength(policy === 'Orphan' ? 2 : 0);
      const client = await installation.temporal();
      await eventually('the workflow ends', 20, async () => {
        const { status } = await client.workflow.getHandle(`local/${metadata.uid}`).describe();
        return status.name === 'COMPLETED' ? true : undefined;
      });
      await client.connection.close();
    },
  );
});

describe('a Job of another controller', () => {
  it('is recorded, and Jobledger does not change it (J-15.9)', async () => {
    const { cluster, sql } = installation;
    const { metadata } = await cluster.createJob('foreign', { managedBy: 'acme.io/other' }, {});
    await eventually('it is in the ledger', 10, async () => {
      const rows = await sql('select 1 from jobledger.events where job_uid = $1', [metadata.uid]);
      return rows.length > 0 ? true : undefined;
    });
    await cluster.createJob('after-foreign', {}, {});
    await cluster.finished('after-foreign');
    expect((await cluster.job('foreign'))?.status).toEqual({});
    expect(await cluster.listPods('foreign')).toHaveLength(0);
  });
});

describe('the cost of a one-pod Job', () => {
  it('is at most 7 API writes and 4 workflow tasks', async () => {
    const { cluster } = installation;
    const { metadata } = await cluster.createJob('cheap', {}, { command: ['sleep', '2'] });
    await cluster.finished('cheap');
    const writes = await eventually('the last Event is written', 10, async () => {
      const ours = installation
        .audit()
        .filter(
          ({ user, verb }) =>
            OUR_USERS.includes(user.username) && ['create', 'update', 'patch', 'delete'].includes(verb),
        )
        .filter(
          ({ requestURI, objectRef }) =>
            objectRef?.resource !== 'leases' && requestURI.includes('/namespaces/default/'),
        )
        .filter(({ objectRef }) => (objectRef?.name ?? '').startsWith('cheap'));
      return ours.filter(({ objectRef }) => objectRef?.resource === 'events').length === 2 ? ours : undefined;
    });
    const client = await installation.temporal();
    const { events } = await client.workflow.getHandle(`local/${metadata.uid}`).fetchHistory();
    await client.connection.close();
    const tasks = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes != null).length;
    console.log(`a one-pod Job: ${writes.length} API writes, ${tasks} workflow tasks`);
    expect(writes.length).toBeLessThanOrEqual(7);
    expect(tasks).toBeLessThanOrEqual(4);
  });
});

describe('the RBAC rights that Jobledger gives its service accounts', () => {
  it('are sufficient: in all tests of this file the API server forbids no request and rejects no status (J-15.7, J-4.30)', () => {
    const ours = installation
      .audit()
      .filter(({ user }) => user.username.startsWith('system:serviceaccount:jobledger:'));
    expect(ours.length).toBeGreaterThan(50);
    // The patch that releases a pod is refused with 422 when the pod has changed since its creation; the worker then reads the pod.
    const refused = ours.filter(({ responseStatus, objectRef }) =>
      (objectRef?.resource === 'pods' ? [401, 403] : [401, 403, 422]).includes(responseStatus?.code ?? 0),
    );
    expect(
      refused.map(({ verb, requestURI, responseStatus }) => `${verb} ${requestURI} ${responseStatus?.code}`),
    ).toEqual([]);
  });
});
