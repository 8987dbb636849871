import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { CronJob } from '../../workflows/kubernetes/objects.ts';
import type { AuditEvent } from '../support/audit-event.ts';
import { install } from '../support/installation.ts';
import { cpuSeconds, peakMegabytes, type MeasuredProcess } from './controller/meters/processes.ts';

/**
 * `npm run bench:cron-jobs [-- --cron-jobs 10000 --at-once 500 --seconds 60]`: CPU and memory of each process while that many
 * CronJobs wait, beside those without any; then a minute at which `--at-once` others start. On servers of its own. Exits with
 * status 1 when a start is missing, early, twice, or later than its minute.
 */
const { values } = parseArgs({
  options: {
    'cron-jobs': { type: 'string', default: '10000' },
    'at-once': { type: 'string', default: '500' },
    seconds: { type: 'string', default: '60' },
  },
});
const waiting = Number(values['cron-jobs']);
const atOnce = Number(values['at-once']);
const seconds = Number(values.seconds);
const SERVICES = ['ingester', 'dispatcher', 'worker', 'projector'] as const;
const CRON_JOBS = '/apis/batch/v1/namespaces/default/cronjobs';
const CREATED_TOGETHER = 20;
const POLL_MS = 2000;
const SETTLE_MS = 20_000;
/** CPU seconds of the worker in `SETTLE_MS`. */
const CALM = 1;
const CALM_WITHIN_MS = 900_000;
const MINUTE_MS = 60_000;
/** The Jobs of the minute: `together-<number>-<minute>`. */
const TOGETHER = 'together';
/** More than creating the CronJobs of the minute takes. */
const LEAD_MS = 3 * MINUTE_MS;

const installation = await install({
  separate: true,
  claim: 'all',
  clusters: [
    {
      name: 'local',
      node: false,
      builtInJobController: false,
      builtInTtlController: false,
      builtInCronJobController: false,
    },
  ],
  environment: { JOBLEDGER_CONTROLLERS: 'job,cronjob,ttl' },
});
try {
  await installation.startServices();
  await idle('no CronJobs');
  await createCronJobs('waiting', waiting, () => '0 0 29 2 *');
  await known(waiting);
  await idle(`${waiting} CronJobs wait`);
  await startTogether();
} finally {
  await installation.stop();
}

function measured(): MeasuredProcess[] {
  const { services, servers } = installation;
  return [
    ...SERVICES.map((name) => ({ name, pid: services.pid(name) ?? 0 })),
    ...servers.names.map((name) => ({ name, pid: servers.pid(name) ?? 0 })),
  ];
}

/** Resolves when the worker has nothing left to decide, or after `CALM_WITHIN_MS`. */
async function calm(): Promise<void> {
  const begin = performance.now();
  const worker = measured().filter(({ name }) => name === 'worker');
  for (let busy = Infinity; busy > CALM && performance.now() - begin < CALM_WITHIN_MS;) {
    const { worker: before = 0 } = cpuSeconds(worker);
    await sleep(SETTLE_MS);
    const { worker: after = 0 } = cpuSeconds(worker);
    busy = after - before;
  }
  report(`calm after ${inSeconds(performance.now() - begin)}`);
}

/** Prints what each process costs while nothing happens. */
async function idle(title: string): Promise<void> {
  await calm();
  const processes = measured();
  const before = cpuSeconds(processes);
  await sleep(seconds * 1000);
  const [after, memory] = [cpuSeconds(processes), peakMegabytes(processes)];
  report(`${title}, over ${seconds} s:`);
  for (const { name } of processes) {
    const cpu = ((after[name] ?? 0) - (before[name] ?? 0)) / seconds;
    report(
      `  ${name.padEnd(14)} ${(memory[name] ?? 0).toFixed(0).padStart(6)} MB ${(cpu * 100).toFixed(2).padStart(7)} % of a core`,
    );
  }
}

async function startTogether(): Promise<void> {
  const scheduledAt = Math.ceil((Date.now() + LEAD_MS) / MINUTE_MS) * MINUTE_MS;
  const due = new Date(scheduledAt);
  await createCronJobs(TOGETHER, atOnce, () => `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`);
  await known(waiting + atOnce);
  if (Date.now() > scheduledAt) throw new Error('the minute came before all CronJobs were known');
  await sleep(scheduledAt + 2 * MINUTE_MS - Date.now());
  const starts = installation.audit().filter(isStart);
  const lateness = starts
    .map(({ stageTimestamp }) => Date.parse(stageTimestamp) - scheduledAt)
    .toSorted((a, b) => a - b);
  const twice = starts.length - new Set(starts.map(({ objectRef }) => objectRef?.name)).size;
  const outside = lateness.filter((ms) => ms < 0 || ms >= MINUTE_MS).length;
  report(
    `${starts.length} of ${atOnce} started, ${twice} twice, ${outside} outside their minute; ` +
      `median ${inSeconds(lateness[Math.floor(lateness.length / 2)])}, last ${inSeconds(lateness.at(-1))} after it began`,
  );
  if (starts.length !== atOnce || twice + outside > 0) process.exitCode = 1;
}

function isStart({ verb, objectRef, responseStatus }: AuditEvent): boolean {
  const { resource, name = '' } = objectRef ?? {};
  return (
    verb === 'create' && resource === 'jobs' && name.startsWith(TOGETHER) && responseStatus?.code === 201
  );
}

async function createCronJobs(name: string, count: number, schedule: () => string): Promise<void> {
  let created = 0;
  const create = async (): Promise<void> => {
    while (created < count) {
      const number = created++;
      const container = { name: 'main', image: 'none' };
      const template = { spec: { restartPolicy: 'Never', containers: [container] } };
      const body = {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { name: `${name}-${number}` },
        spec: { schedule: schedule(), jobTemplate: { spec: { parallelism: 0, template } } },
      };
      await installation.cluster.client.request<CronJob>({ method: 'POST', path: CRON_JOBS, body });
    }
  };
  await Promise.all(Array.from({ length: CREATED_TOGETHER }, create));
  report(`${count} CronJobs created`);
}

/** Resolves when that many CronJobs have a running workflow. */
async function known(count: number): Promise<void> {
  const begin = performance.now();
  const temporal = await installation.temporal();
  const query = "WorkflowType = 'cronJobWorkflow' and ExecutionStatus = 'Running'";
  try {
    while ((await temporal.workflow.count(query)).count < count) await sleep(POLL_MS);
  } finally {
    await temporal.connection.close();
  }
  report(`${count} CronJobs have a workflow: after ${inSeconds(performance.now() - begin)}`);
}

function inSeconds(ms = 0): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}
