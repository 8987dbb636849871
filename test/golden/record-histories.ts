import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { trueCondition } from '../../workflows/batch/conditions.ts';
import type { CronJob, Job } from '../../workflows/kubernetes/objects.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { workflowId } from '../../services/adapters/temporal/names.ts';
import { failingFirst } from '../support/cluster.ts';
import { connectCronJobs } from '../support/cron-jobs.ts';
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
  const name = 'cron-ticking';
  const cronJobs = connectCronJobs(() => installation);
  await cronJobs.create(name, {}, ['true']);
  await cronJobs.overdue(name);
  const ticked = await eventually(`${name} has the success of its Job in its status`, 60, async () => {
    const cronJob = await cronJobs.read(name);
    return cronJob.status?.lastSuccessfulTime === undefined ? undefined : cronJob;
  });
  await cronJobs.remove(name);
  await eventually(`the workflow of ${name} has ended`, 30, async () => {
    const temporal = await installation.temporal();
    const { status } = await temporal.workflow.getHandle(objectWorkflowId(ticked)).describe();
    await temporal.connection.close();
    return status.name === 'COMPLETED' ? true : undefined;
  });
  return ticked;
}

function objectWorkflowId({ metadata, spec }: Job | CronJob): string {
  return workflowId('local', metadata.uid, 'schedule' in spec ? 'CronJob' : 'Job');
}

async function record({ temporal }: Installation, object: Job | CronJob): Promise<void> {
  const client = await temporal();
  const history = await client.workflow.getHandle(objectWorkflowId(object)).fetchHistory();
  await client.connection.close();
  const text = withoutPlace(JSON.stringify(JSON.parse(historyToJSON(history)), null, 1));
  writeFileSync(join(PACKAGE_DIR, 'test', 'golden', 'histories', `${object.metadata.name}.json`), `${text}\n`);
}

/** Removes the name of the machine that recorded it. */
function withoutPlace(text: string): string {
  return text
    .replaceAll(/("identity"|"workerId"): "[^"]*"/g, '$1: "recorder"')
    .replaceAll(/"\d+@[^"]*"/g, '"recorder"');
}
