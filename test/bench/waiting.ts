import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connectClusters } from '../../services/adapters/kubernetes/connection.ts';
import { createKubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { eventually } from '../support/eventually.ts';
import { fakeNode } from '../support/fake-node/fake-node.ts';
import { watchPods } from '../support/fake-node/watch-pods.ts';
import { install } from '../support/installation.ts';
import { createTurns } from '../../services/adapters/waiting/turns.ts';
import { cpuSeconds, peakMegabytes, resetPeakMemory } from './controller/meters/processes.ts';
import { percentile } from './controller/report/figures.ts';

/**
 * `npm run bench:waiting [-- --jobs 10000 --seconds 600 --samples 100]`: an installation with that many finished Jobs and as
 * many that wait for a deadline weeks from now. While nothing else happens: how much CPU each process uses, what grows, how
 * soon a new Job has its pod and a raised parallelism its second one. Then how long all services take from their start until
 * a Job that was created while they were stopped has its pod. On servers of its own.
 */
const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '600' },
    samples: { type: 'string', default: '100' },
  },
});
const jobs = Number(values.jobs);
const seconds = Number(values.seconds);
const samples = Number(values.samples);
const NODE = 'fake';
const CREATED_TOGETHER = 20;
const SETTLED_SECONDS = 3600;
const WEEKS = 3_000_000;
const QUIET_MS = 2000;
const SERVICES = ['ingester', 'dispatcher', 'worker', 'projector', 'api'] as const;

const installation = await install({ separate: true, claim: 'all', node: false, api: true });
const { cluster, services, servers } = installation;
const over = new AbortController();
/** When the watch showed the pods of each Job, in milliseconds. */
const podTimes = new Map<string, number[]>();
try {
  await measure();
} finally {
  over.abort();
  await installation.stop();
}

async function measure(): Promise<void> {
  const kubeconfig = servers.addresses.adminKubeconfig ?? '';
  await services.start(fakeNode({ kubeconfig, name: NODE, mode: 'hold' }));
  await installation.startServices();
  void notePods(kubeconfig);
  await createJobs('finished', { completions: 0 });
  await createJobs('waiting', { parallelism: 0, activeDeadlineSeconds: WEEKS });
  await settled();
  await idle();
  await reactions();
  await restart();
}

async function createJobs(name: string, spec: object): Promise<void> {
  const begin = performance.now();
  const inTurn = createTurns(CREATED_TOGETHER);
  await Promise.all(
    Array.from({ length: jobs }, (_none, number) =>
      inTurn(() => cluster.createJob(`${name}-${number}`, spec, { nodeName: NODE })),
    ),
  );
  report(`${jobs} ${name} Jobs created in ${secondsSince(begin)} s`);
}

/** Waits until the tables show each Job as decided about. */
async function settled(): Promise<void> {
  const begin = performance.now();
  await eventually('every Job was decided about', SETTLED_SECONDS, async () => {
    const [row] = await installation.sql<{ finished: number; started: number }>(
      `select count(*) filter (where kubectl_status = 'Complete')::int as finished,
         count(*) filter (where started_at is not null)::int as started from jobledger.jobs`,
    );
    return row !== undefined && row.finished >= jobs && row.started >= 2 * jobs ? row : undefined;
  });
  report(`all decided about ${secondsSince(begin)} s later`);
}

async function idle(): Promise<void> {
  const processes = processesNow();
  resetPeakMemory(processes);
  const [before, sizesBefore] = [cpuSeconds(processes), await sizes()];
  await sleep(seconds * 1000);
  const [after, sizesAfter, memory] = [cpuSeconds(processes), await sizes(), peakMegabytes(processes)];
  const share = (name: string): number => (((after[name] ?? 0) - (before[name] ?? 0)) / seconds) * 100;
  report(`idle, over ${seconds} s:`);
  for (const { name } of processes)
    report(
      `  ${name.padEnd(14)} ${share(name).toFixed(2).padStart(6)} % of a core, ${(memory[name] ?? 0).toFixed(0).padStart(5)} MB`,
    );
  report(
    `  the services together ${SERVICES.reduce((sum, name) => sum + share(name), 0).toFixed(2)} % of a core`,
  );
  for (const [what, size] of Object.entries(sizesAfter))
    report(`  ${what}: ${size}, ${size - (sizesBefore[what] ?? 0)} more than before`);
}

async function reactions(): Promise<void> {
  const [creations, raises]: [number[], number[]] = [[], []];
  for (let sample = 0; sample < samples; sample += 1) {
    const name = `sample-${sample}`;
    await quiet();
    const created = performance.now();
    await cluster.createJob(name, { parallelism: 1, completions: 2 }, { nodeName: NODE });
    creations.push((await podTime(name, 1)) - created);
    await eventually(
      `${name} has its pod in its status`,
      60,
      async () => (await cluster.job(name))?.status?.ready,
    );
    await quiet();
    const raised = performance.now();
    await cluster.patchJob(name, { spec: { parallelism: 2 } });
    raises.push((await podTime(name, 2)) - raised);
    await cluster.deleteJob(name, 'Background');
  }
  const message = (times: number[]): string =>
    `${percentile(times, 0.5).toFixed(0)} ms (p50), ${percentile(times, 0.99).toFixed(0)} ms (p99)`;
  report(
    `a new Job has its pod after ${message(creations)}, a raised parallelism after ${message(raises)}; ${samples} of each`,
  );
}

/** Resolves when the ledger has not grown for a while: what the sample before led to is over. */
async function quiet(): Promise<void> {
  for (let [before, now] = [-1, await events()]; before !== now;) {
    await sleep(QUIET_MS);
    [before, now] = [now, await events()];
  }
}

async function restart(): Promise<void> {
  await installation.haltServices();
  await cluster.createJob('created-while-stopped', {}, { nodeName: NODE });
  const begin = performance.now();
  await installation.startServices();
  report(`all services ready ${secondsSince(begin)} s after their start`);
  const seen = await podTime('created-while-stopped', 1);
  report(
    `the pod of a Job that was created while they were stopped: ${((seen - begin) / 1000).toFixed(1)} s after their start`,
  );
  await sleep(30_000);
  const processes = processesNow();
  const [used, memory] = [cpuSeconds(processes), peakMegabytes(processes)];
  for (const name of SERVICES)
    report(
      `  ${name.padEnd(14)} ${(used[name] ?? 0).toFixed(1).padStart(6)} CPU seconds, ${(memory[name] ?? 0).toFixed(0).padStart(5)} MB until 30 s later`,
    );
}

function processesNow(): { name: string; pid: number }[] {
  return [
    ...SERVICES.map((name) => ({ name, pid: services.pid(name) ?? 0 })),
    ...servers.names.map((name) => ({ name, pid: servers.pid(name) ?? 0 })),
  ];
}

/** What may not grow while nothing happens. */
async function sizes(): Promise<Record<string, number>> {
  const [row] = await installation.sql<{ bytes: number }>(
    'select pg_database_size(current_database())::float as bytes',
  );
  return { 'events in the ledger': await events(), 'bytes of the database': row?.bytes ?? 0 };
}

async function events(): Promise<number> {
  const [row] = await installation.sql<{ count: number }>(
    'select count(*)::int as count from jobledger.events',
  );
  return row?.count ?? 0;
}

function notePods(kubeconfig: string): Promise<void> {
  const [connection] = connectClusters({ kubeconfig, contexts: [] });
  if (connection === undefined) throw new Error(`${kubeconfig} has no context`);
  return watchPods(createKubernetesClient(connection), '', over.signal, ({ metadata }, change) => {
    if (change !== 'ADDED') return;
    const job = metadata.ownerReferences?.[0]?.name ?? '';
    podTimes.set(job, [...(podTimes.get(job) ?? []), performance.now()]);
  });
}

/** When the Job's pod of this number was seen. */
async function podTime(job: string, number: number): Promise<number> {
  return eventually(`${job} has ${number} pods`, 120, () =>
    Promise.resolve((podTimes.get(job) ?? [])[number - 1]),
  );
}

function secondsSince(begin: number): string {
  return ((performance.now() - begin) / 1000).toFixed(1);
}

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}
