import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { workflowId } from '../../services/adapters/temporal/names.ts';
import type { CronJob, Job } from '../../workflows/kubernetes/objects.ts';
import { jobManifest } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { kubectlFor, type Kubectl } from '../support/kubectl.ts';
import { jobledger } from '../support/rebuild.ts';

// The built-in controllers start the Jobs of CronJobs and control these Jobs. Jobledger controls Jobs that name it.

let installation: Installation;
let kubectl: Kubectl;

interface Role {
  rules: { resources: string[] }[];
}

beforeAll(async () => {
  installation = await install({ ownClusters: true, environment: { JOBLEDGER_AUDIT_INTERVAL_MS: '1000' } });
  kubectl = kubectlFor(installation);
}, 240_000);

afterAll(() => installation?.stop(), 60_000);

/** Gives or takes the right of the ingester to read CronJobs. */
async function allowCronJobs(isAllowed: boolean): Promise<void> {
  const role = JSON.parse(
    await kubectl.run('get', 'clusterrole', 'jobledger-ingester', '-o', 'json'),
  ) as Role;
  const others = role.rules.filter(({ resources }) => !resources.includes('cronjobs'));
  const rule = { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['list', 'watch'] };
  const rules = isAllowed ? [...others, rule] : others;
  await kubectl.pipe(JSON.stringify({ ...role, rules }), 'replace', '-f', '-');
}

async function recordedWithout(resources: string[]): Promise<void> {
  await eventually(`the cluster is recorded without ${resources.join() || 'nothing'}`, 60, async () => {
    const [cluster] = await installation.sql<{ not_recorded: string[] }>(
      'select not_recorded from jobledger.clusters',
    );
    return JSON.stringify(cluster?.not_recorded) === JSON.stringify(resources) ? true : undefined;
  });
}

async function cronJobs(): Promise<{ name: string; deleted: boolean; started: boolean }[]> {
  return installation.sql(
    `select name, deleted_at is not null as deleted, last_schedule_time is not null as started
     from jobledger.cron_jobs order by name`,
  );
}

async function createCronJob(name: string): Promise<CronJob> {
  const { client, namespace } = installation.cluster;
  const { spec: job } = jobManifest('tick', {}, {}) as { spec: Job['spec'] };
  const { managedBy: _, ...spec } = job;
  return client.request<CronJob>({
    method: 'POST',
    path: `/apis/batch/v1/namespaces/${namespace}/cronjobs`,
    body: {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name },
      spec: { schedule: '* * * * *', jobTemplate: { spec } },
    },
  });
}

describe('a CronJob that another controller controls', () => {
  let before: CronJob;

  it('is not recorded without the right to read it, and Jobs are recorded as before', async () => {
    await allowCronJobs(false);
    before = await createCronJob('nightly');
    await installation.startServices();
    await recordedWithout(['cronjobs']);
    const job = await installation.cluster.createJob('beside', {}, {});
    await eventually('the Job beside it is complete', 60, async () => {
      const rows = await installation.sql(
        "select from jobledger.jobs where uid = $1 and status = 'Succeeded'",
        [job.metadata.uid],
      );
      return rows.length === 1 ? true : undefined;
    });
    expect(await cronJobs()).toEqual([]);
    const { stdout } = await jobledger(installation.environment, 'clusters');
    expect(stdout).toMatch(/WITHOUT.*\n.*gangs,cronjobs /);
  }, 120_000);

  it('is recorded soon after the right is given, with its starts and its deletion', async () => {
    await allowCronJobs(true);
    await recordedWithout([]);
    const { client, namespace } = installation.cluster;
    // The controller starts a Job at once for a time that has passed.
    const lastScheduleTime = `${new Date(Date.now() - 600_000).toISOString().slice(0, 19)}Z`;
    await client.request({
      method: 'PATCH',
      path: `/apis/batch/v1/namespaces/${namespace}/cronjobs/nightly/status`,
      contentType: 'application/merge-patch+json',
      body: { status: { lastScheduleTime } },
    });
    await eventually('the start is recorded', 90, async () => {
      const [run] = await installation.sql<{ missed: boolean; late: boolean }>(
        "select missed, late_by >= interval '0' as late from jobledger.cron_runs where cron_job_name = 'nightly'",
      );
      return run?.missed === false && run.late ? true : undefined;
    });
    await kubectl.run('delete', 'cronjob', 'nightly', '-n', installation.cluster.namespace);
    await eventually('the deletion is recorded', 60, async () =>
      (await cronJobs())[0]?.deleted === true ? true : undefined,
    );
    expect(await cronJobs()).toEqual([{ name: 'nightly', deleted: true, started: true }]);
  }, 180_000);

  it('has no workflow and no decision, and Jobledger changes nothing in it', async () => {
    const { uid } = before.metadata;
    const client = await installation.temporal();
    const id = workflowId('local', uid, 'CronJob');
    await expect(client.workflow.getHandle(id).describe()).rejects.toThrow('not found');
    const types = await installation.sql(
      'select distinct type from jobledger.cron_job_events where cron_job_uid = $1 order by type',
      [uid],
    );
    expect(types).toEqual([{ type: 'cronjob.deleted' }, { type: 'cronjob.observed' }]);
    const verbs = installation
      .audit()
      .filter(
        ({ objectRef, user }) => objectRef?.resource === 'cronjobs' && user?.username.includes('jobledger'),
      )
      .map(({ verb }) => verb);
    expect(new Set(verbs)).toEqual(new Set(['list', 'watch']));
  }, 60_000);

  it('is no longer recorded when the right is taken away', async () => {
    await allowCronJobs(false);
    await recordedWithout(['cronjobs']);
    await createCronJob('later');
    await installation.cluster.createJob('last', {}, {});
    await eventually('a later Job is recorded', 60, async () =>
      (await installation.sql("select from jobledger.jobs where name = 'last'")).length === 1
        ? true
        : undefined,
    );
    expect((await cronJobs()).map(({ name }) => name)).toEqual(['nightly']);
  }, 120_000);
});
