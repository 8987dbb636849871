import { parseArgs } from 'node:util';
import { eventually } from '../support/eventually.ts';
import { aWitness, createPlaced, installThreeClusters, isComplete } from '../support/placed-jobs.ts';
import { costPerJob, createMeter, SERVICES, type Costs } from './costs.ts';

/**
 * `npm run bench:spread-job [-- --completions 3000 --parallelism 300 --seconds 20]`: what a pod of a Job in three clusters costs beside one of the
 * same Job in one cluster. The clusters have room for all of its pods that run at once, for two thirds, and for one third. On servers of
 * its own.
 */
const { values } = parseArgs({
  options: {
    completions: { type: 'string', default: '3000' },
    parallelism: { type: 'string', default: '300' },
    // Of a pod: long enough that the machine can start as many pods as may run at once.
    seconds: { type: 'string', default: '20' },
  },
});
const completions = Number(values.completions);
const parallelism = Number(values.parallelism);
const podSeconds = Number(values.seconds);
const SETTLED_SECONDS = 1800;
/** Of a node of the local cluster, in millicores. */
const NODE_CPU = 64_000;
/** The room, in sixths of all. */
const ROOM = { west: 3, north: 2, east: 1 } as const;

const witness = aWitness();
const { jobledger, clusters } = await installThreeClusters({ ownServers: true });
const meter = createMeter(jobledger);
try {
  for (const name of ['north', 'east'] as const) await fill(name, NODE_CPU * (1 - ROOM[name] / 3));
  await run('warm-up', {}, 30);
  const one = await run('one', { clusters: 'west' }, completions);
  const three = await run('three', { spread: 'room' }, completions);
  const ratio = (names: readonly string[]): string =>
    (costPerJob(three, names, completions) / costPerJob(one, names, completions)).toFixed(2);
  report(
    `a pod in three clusters costs ${ratio(SERVICES)} times the CPU of the services, ${ratio([...SERVICES, ...meter.stores])} with the stores`,
  );
  const [shares] = await jobledger.sql<{ shares: string }>(
    `select string_agg(placed_in || ' ' || n, ', ' order by n desc) as shares from
     (select placed_in, sum(succeeded) as n from jobledger.placements where job_name = 'three' group by 1) each`,
  );
  report(
    `succeeded by cluster, with room for 3, 2 and 1 sixths: ${shares?.shares}; ${witness.overlaps().length} overlaps`,
  );
} finally {
  await jobledger.stop();
}
process.exit();

/** A pod that takes the rest of the node. */
async function fill(name: 'north' | 'east', cpu: number): Promise<void> {
  const resources = { requests: { cpu: `${Math.floor(cpu)}m` } };
  const container = { name: 'main', image: 'busybox', command: ['sh', '-c', 'sleep 36000'], resources };
  await clusters[name].createJob('filler', {}, { containers: [container] });
}

async function run(name: string, annotations: Record<string, string>, count: number): Promise<Costs> {
  const resources = { requests: { cpu: `${Math.floor(NODE_CPU / parallelism)}m` } };
  const command = ['sh', '-c', witness.living(`${name}/$JOB_COMPLETION_INDEX`, podSeconds)];
  const container = { name: 'main', image: 'busybox', command, resources };
  const costs = await meter.measured(async () => {
    await createPlaced(clusters.east, {
      name,
      annotations,
      spec: { completions: count, parallelism, completionMode: 'Indexed' },
      pod: { containers: [container] },
    });
    await eventually(`${name} is complete`, SETTLED_SECONDS, async () => {
      const found = await clusters.east.job(name);
      return found !== undefined && isComplete(found) ? found : undefined;
    });
  });
  const { status } = (await clusters.east.job(name)) ?? {};
  report(
    `${name}: ${count} indexes in ${costs.seconds.toFixed(0)} s, completed ${status?.completedIndexes}, failed ${status?.failed ?? 0}; ` +
      `${costPerJob(costs, SERVICES, count).toFixed(1)} ms of the services a pod (${SERVICES.map((each) => `${each} ${costPerJob(costs, [each], count).toFixed(1)}`).join(', ')}), ` +
      `${costPerJob(costs, [...SERVICES, ...meter.stores], count).toFixed(1)} with the stores; ${(costs.records / count).toFixed(1)} records a pod`,
  );
  return costs;
}

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}
