import { parseArgs } from 'node:util';
import { createKubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { connectClusters } from '../../services/adapters/kubernetes/connection.ts';
import type { TestCluster } from '../support/cluster.ts';
import { createTurns } from '../../services/adapters/waiting/turns.ts';
import { JOB_NAME_LABEL } from '../../workflows/kubernetes/names.ts';
import { eventually } from '../support/eventually.ts';
import { watchPods } from '../support/fake-node/watch-pods.ts';
import { createPlaced, installThreeClusters } from '../support/placed-jobs.ts';
import { percentile } from './controller/report/figures.ts';
import { costPerJob, createMeter, SERVICES } from './costs.ts';

/**
 * `npm run bench:placed-jobs [-- --jobs 300 --rounds 3 --samples 30]`: what a placed Job costs beside an ordinary one. In each round
 * that many one-pod Jobs are created at once, a third in each of three clusters, and then as many placed Jobs, with room for a
 * third in each cluster. Then one placed Job at a time: how soon it has its pod. On servers of its own.
 */
const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '3' },
    samples: { type: 'string', default: '30' },
  },
});
const jobs = Number(values.jobs);
const rounds = Number(values.rounds);
const samples = Number(values.samples);
const CREATED_TOGETHER = 30;
const SETTLED_SECONDS = 600;
/** Of a node of the local cluster, in millicores. */
const NODE_CPU = 64_000;

const { jobledger, clusters } = await installThreeClusters({ ownServers: true });
const meter = createMeter(jobledger);
const over = new AbortController();
/** When the watch showed the first pod of each Job, in milliseconds. */
const firstPods = new Map<string, { at: number; cluster: string }>();
try {
  for (const name of Object.keys(clusters)) void notePods(name);
  // A pod of a third of the Jobs fills each node.
  const resources = { requests: { cpu: `${Math.floor(NODE_CPU / Math.ceil(jobs / 3))}m` } };
  await oneRound('warm-up', 30, resources);
  for (let round = 1; round <= rounds; round += 1) await oneRound(`round-${round}`, jobs, resources);
  await reactions();
} finally {
  over.abort();
  await jobledger.stop();
}
process.exit();

async function oneRound(round: string, count: number, resources: object): Promise<void> {
  const inTurn = createTurns(CREATED_TOGETHER);
  const homes = Object.values(clusters);
  const ordinary = await measured(`${round}-ordinary`, count, (name, number) =>
    inTurn(() =>
      (homes[number % homes.length] ?? clusters.east).createJob(
        name,
        {},
        { containers: [containerWith(resources)] },
      ),
    ),
  );
  const placed = await measured(`${round}-placed`, count, (name) =>
    inTurn(() => createPlaced(clusters.east, { name, pod: { containers: [containerWith(resources)] } })),
  );
  const ratio = (of: 'services' | 'all'): string => (placed[of] / ordinary[of]).toFixed(2);
  report(
    `${round}: a placed Job costs ${ratio('services')} times the CPU of the services, ${ratio('all')} of all`,
  );
  await Promise.all(homes.map(deleteJobs));
  await meter.quiet();
}

async function deleteJobs({ client, namespace }: TestCluster): Promise<void> {
  const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
  await client.request({ method: 'DELETE', path, body: { propagationPolicy: 'Background' } });
  await eventually('no Job is left', SETTLED_SECONDS, async () => {
    const { items } = await client.request<{ items: unknown[] }>({ method: 'GET', path });
    return items.length === 0 ? true : undefined;
  });
}

function containerWith(resources: object): { name: string } {
  const container = { name: 'main', image: 'busybox', command: ['sh', '-c', 'sleep 5'], resources };
  return container;
}

/** Creates Jobs, and waits until all are done and recorded: milliseconds of CPU for each. */
async function measured(
  prefix: string,
  count: number,
  create: (name: string, number: number) => Promise<unknown>,
): Promise<{ services: number; all: number }> {
  const created = new Map<string, number>();
  const costs = await meter.measured(async () => {
    await Promise.all(
      Array.from({ length: count }, async (_none, number) => {
        const name = `${prefix}-${number}`;
        created.set(name, performance.now());
        await create(name, number);
      }),
    );
    await eventually(`all of ${prefix} have ended`, SETTLED_SECONDS, async () => {
      const [row] = await jobledger.sql<{ ended: number }>(
        `select count(distinct name)::int as ended from jobledger.jobs where name like $1 and finished_at is not null
         and not exists (select from jobledger.jobs other where other.name = jobs.name and other.finished_at is null)`,
        [`${prefix}-%`],
      );
      return (row?.ended ?? 0) >= count ? true : undefined;
    });
  });
  const cost = (names: readonly string[]): number => costPerJob(costs, names, count);
  const waits = [...created].map(([name, at]) => (firstPods.get(name)?.at ?? Infinity) - at);
  const found = { services: cost(SERVICES), all: cost([...SERVICES, ...meter.stores]) };
  report(
    `${prefix}: ${count} Jobs in ${costs.seconds.toFixed(1)} s; creation to pod p50 ${seconds(percentile(waits, 0.5))}, max ${seconds(Math.max(...waits))}; ` +
      `${found.services.toFixed(1)} ms of the services a Job (${SERVICES.map((name) => `${name} ${cost([name]).toFixed(1)}`).join(', ')}), ` +
      `${found.all.toFixed(1)} with ${meter.stores.map((name) => `${name} ${cost([name]).toFixed(1)}`).join(', ')}; ` +
      `${(costs.records / count).toFixed(1)} records a Job`,
  );
  const types = await jobledger.sql<{ type: string; each: string }>(
    `select type, round(count(*)::numeric / $2, 1) as each from jobledger.events where job_name like $1 group by 1 order by 2 desc`,
    [`${prefix}-%`, count],
  );
  report(`  records a Job: ${types.map(({ type, each }) => `${type} ${each}`).join(', ')}`);
  const where = Map.groupBy([...created.keys()], (name) => firstPods.get(name)?.cluster ?? 'nowhere');
  report(`  ${[...where].map(([cluster, names]) => `${cluster} ${names.length}`).join(', ')}`);
  return found;
}

async function reactions(): Promise<void> {
  const waits: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    const name = `sample-${sample}`;
    await meter.quiet();
    const begin = performance.now();
    await createPlaced(clusters.east, { name, command: 'true' });
    waits.push(
      (await eventually(`${name} has a pod`, 60, () => Promise.resolve(firstPods.get(name)))).at - begin,
    );
  }
  report(
    `one placed Job at a time, creation to pod: p50 ${seconds(percentile(waits, 0.5))}, p99 ${seconds(percentile(waits, 0.99))}`,
  );
}

async function notePods(name: string): Promise<void> {
  const connections = connectClusters({
    kubeconfig: jobledger.servers.addresses.adminKubeconfig ?? '',
    contexts: [name],
  });
  const [connection] = connections;
  if (connection === undefined) throw new Error(`no context ${name}`);
  await watchPods(createKubernetesClient(connection), '', over.signal, ({ metadata }) => {
    const job = metadata.labels?.[JOB_NAME_LABEL]?.replace(/-m\d+$/, '');
    if (job !== undefined && !firstPods.has(job))
      firstPods.set(job, { at: performance.now(), cluster: name });
  }).catch((error: unknown) => {
    if (!over.signal.aborted) throw error;
  });
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}
