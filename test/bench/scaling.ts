import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { serviceChildren } from '../../cli/verbs/up/service-children.ts';
import type { ChildSpec } from '../../infra/local/processes/keep-running.ts';
import { namespaceShard } from '../../services/shards/shards.ts';
import type { TestCluster } from '../support/cluster.ts';
import { install } from '../support/installation.ts';
import { cpuSeconds } from './controller/meters/processes.ts';

/**
 * `npm run bench:scaling [-- --kinds ingester,dispatcher,worker,projector --processes 1,2,4 --jobs 400]`: how the capacity of a
 * service grows with its processes. All other services run once. The capacity is that of the process with the most to do: as many
 * Jobs a second as a core to itself would allow, by the CPU that it used for the Jobs. So two cores suffice for any number of
 * processes. On servers of its own.
 */
const { values } = parseArgs({
  options: {
    kinds: { type: 'string', default: 'ingester,dispatcher,worker,projector' },
    processes: { type: 'string', default: '1,2,4' },
    jobs: { type: 'string', default: '400' },
  },
});
const SERVICES = ['ingester', 'dispatcher', 'worker', 'projector'] as const;
type Service = (typeof SERVICES)[number];

const NAMESPACES = 8;
const CREATED_AT_ONCE = 10;
const POLL_MS = 200;
const LIMIT_MS = 600_000;

const jobs = Number(values.jobs);
const counts = values.processes.split(',').map(Number);
const kinds = values.kinds.split(',') as Service[];
const report = (line: string): void => void process.stdout.write(`${line}\n`);
let waves = 0;

const installation = await install({
  separate: true,
  ownServers: true,
  clusters: [{ name: 'local', audit: false }],
});
try {
  const names = namesInEachShard(Math.max(...counts));
  const teams = await Promise.all(names.map((name) => installation.cluster.inNewNamespace(name)));
  for (const kind of kinds) await grows(kind, teams);
} finally {
  await installation.stop();
}
process.exit();

/** Names of namespaces, as many in each shard of `of`. */
function namesInEachShard(of: number): string[] {
  const left = new Map(Array.from({ length: of }, (_, at) => [at + 1, NAMESPACES / of]));
  const names: string[] = [];
  for (let each = 0; names.length < NAMESPACES; each += 1) {
    const name = `team-${each}`;
    const shard = namespaceShard(name, of);
    if ((left.get(shard) ?? 0) === 0) continue;
    left.set(shard, (left.get(shard) ?? 0) - 1);
    names.push(name);
  }
  return names;
}

async function grows(kind: Service, teams: readonly TestCluster[]): Promise<void> {
  const others = SERVICES.filter((each) => each !== kind);
  await installation.startServices(others);
  let first: number | null = null;
  for (const count of counts) {
    const used = await measured(kind, count, teams);
    const most = Math.max(...used);
    const all = used.reduce((sum, each) => sum + each, 0);
    first ??= most * count;
    const share = `${((100 * most) / all).toFixed(0)} % of it in the busiest`;
    report(
      `${kind.padEnd(10)} ${count}: ${all.toFixed(2)} ms of CPU a Job, ${share}; ${(1000 / most).toFixed(0)} Jobs/s, ${(first / most).toFixed(2)} times`,
    );
  }
  await installation.haltServices(others);
}

/** Milliseconds of CPU a Job, of each process. */
async function measured(kind: Service, count: number, teams: readonly TestCluster[]): Promise<number[]> {
  const { services } = installation;
  const specs = Array.from({ length: count }, (_, at) => serviceSpec(kind, at + 1, count));
  await Promise.all(specs.map((spec) => services.start(spec)));
  try {
    // A warm-up: processes compile, groups rebalance.
    await run(teams, jobs / 4);
    const pids = specs.map(({ name }) => ({ name, pid: services.pid(name) ?? 0 }));
    const before = cpuSeconds(pids);
    await run(teams, jobs);
    const after = cpuSeconds(pids);
    return pids.map(({ name }) => (1000 * ((after[name] ?? 0) - (before[name] ?? 0))) / jobs);
  } finally {
    await Promise.all(specs.map(({ name }) => services.halt(name)));
  }
}

function serviceSpec(kind: Service, index: number, count: number): ChildSpec {
  const sharded = kind === 'ingester' && { JOBLEDGER_INGESTER_SHARD: `${index}/${count}` };
  const spec = serviceChildren({ ...installation.environment, ...sharded }).find(({ name }) => name === kind);
  if (spec === undefined) throw new Error(`there is no service ${kind}`);
  return { ...spec, name: `${kind}-${index}-of-${count}` };
}

/** Creates one-pod Jobs in turn in each namespace, and returns once all have ended, as SQL says. */
async function run(teams: readonly TestCluster[], number: number): Promise<void> {
  waves += 1;
  const prefix = `wave-${waves}`;
  const next = Array.from({ length: number }, (_, at) => at)[Symbol.iterator]();
  const create = async (): Promise<void> => {
    for (const at of next) await teams[at % teams.length]?.createJob(`${prefix}-${at}`, {}, {});
  };
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, create));
  const limit = performance.now() + LIMIT_MS;
  for (;;) {
    const found = await endedInSql(prefix);
    if (found === number) return;
    if (performance.now() > limit) throw new Error(`only ${found} of ${number} Jobs have ended`);
    await pause(POLL_MS);
  }
}

async function endedInSql(prefix: string): Promise<number> {
  const [row] = await installation.sql<{ jobs: number }>(
    "select count(*)::int as jobs from jobledger.jobs where name like $1 || '-%' and kubectl_status = 'Complete'",
    [prefix],
  );
  return row?.jobs ?? 0;
}
