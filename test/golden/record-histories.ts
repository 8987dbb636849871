import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { trueCondition } from '../../workflows/job/definitions/conditions.ts';
import type { CronJob, Job } from '../../workflows/kubernetes/objects.ts';
import { PACKAGE_DIR } from '../../services/adapters/package-dir.ts';
import { workflowId } from '../../services/adapters/temporal/names.ts';
import { failingFirst } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';

// `npm run record-histories [-- NAME ...]`: runs Jobs and a CronJob on real servers and saves the histories of their
// workflows, or of those with these names, which test/workflow/histories.test.ts replays.

const RECORDED: Record<string, () => Promise<Job | CronJob>> = {
  succeeding,
  'failing-once': failingOnce,
  late,
  'suspended-for-a-while': suspendedForAWhile,
  'cron-ticking': cronTicking,
};
const names = process.argv.slice(2);

const installation = await install({
  claim: 'all',
  clusters: [
    {
      name: 'local',
      builtInJobController: false,
      builtInTtlController: false,
      builtInCronJobController: false,
    },
  ],
  environment: { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '1000', JOBLEDGER_CONTROLLERS: 'job,cronjob,ttl' },
});
try {
  await installation.startServices();
  const wanted = Object.entries(RECORDED).filter(([name]) => names.length === 0 || names.includes(name));
  const objects = await Promise.all(wanted.map(([, run]) => run()));
  for (const object of objects) await record(installation, object);
} finally {
  await installation.stop();
}

function succeeding(): Promise<Job> {
  const { cluster } = installation;
  return cluster
    .createJob('succeeding', { completions: 2, parallelism: 2 }, {})
    .then(() => cluster.finished('succeeding'));
}

async function failingOnce(): Promise<Job> {
  const command = failingFirst(1, mkdtempSync(join(tmpdir(), 'failing-once-')));
  await installation.cluster.createJob('failing-once', {}, { command });
  return installation.cluster.finished('failing-once');
}

async function late(): Promise<Job> {
  await installation.cluster.createJob('late', { activeDeadlineSeconds: 4 }, { command: ['sleep', '300'] });
  return installation.cluster.finished('late');
}

async function suspendedForAWhile(): Promise<Job> {
  const { cluster } = installation;
  const name = 'suspended-for-a-while';
  await cluster.createJob(name, { suspend: true }, {});
  await cluster.jobWhere(name, 'is suspended', ({ status }) =>
    Boolean(trueCondition(status ?? {}, 'Suspended')),
  );
  await cluster.patchJob(name, { spec: { suspend: false } });
  return cluster.finished(name);
}

/** Ten starts were missed, of which the newest is made up for; then it is deleted. */
async function cronTicking(): Promise<CronJob> {
  const { client } = installation.cluster;
  const name = 'cron-ticking';
  const path = `/apis/batch/v1/namespaces/default/cronjobs`;
  const container = { name: 'main', image: 'none', command: ['true'] };
  const template = { spec: { restartPolicy: 'Never', containers: [container] } };
  const body = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name },
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } },
  };
  await client.request({ method: 'POST', path, body });
  const lastScheduleTime = `${new Date(Date.now() - 600_000).toISOString().slice(0, 19)}Z`;
  await client.request({
    method: 'PATCH',
    path: `${path}/${name}/status`,
    contentType: 'application/merge-patch+json',
    body: { status: { lastScheduleTime } },
  });
  const ticked = await eventually(`${name} has the success of its Job in its status`, 60, async () => {
    const cronJob = await client.request<CronJob>({ method: 'GET', path: `${path}/${name}` });
    return cronJob.status?.lastSuccessfulTime === undefined ? undefined : cronJob;
  });
  await client.request({ method: 'DELETE', path: `${path}/${name}` });
  await eventually(`the workflow of ${name} has ended`, 30, async () => {
    const temporal = await installation.temporal();
    const { status } = await temporal.workflow
      .getHandle(workflowId('local', ticked.metadata.uid))
      .describe()
      .finally(() => temporal.connection.close());
    return status.name === 'COMPLETED' ? true : undefined;
  });
  return ticked;
}

async function record({ temporal }: Installation, { metadata }: Job | CronJob): Promise<void> {
  const client = await temporal();
  const history = await client.workflow.getHandle(workflowId('local', metadata.uid)).fetchHistory();
  await client.connection.close();
  const text = withoutPlace(JSON.stringify(JSON.parse(historyToJSON(history)), null, 1));
  writeFileSync(join(PACKAGE_DIR, 'test', 'golden', 'histories', `${metadata.name}.json`), `${text}\n`);
}

/** Removes the name of the machine that recorded it. */
function withoutPlace(text: string): string {
  return text
    .replaceAll(/("identity"|"workerId"): "[^"]*"/g, '$1: "recorder"')
    .replaceAll(/"\d+@[^"]*"/g, '"recorder"');
}
