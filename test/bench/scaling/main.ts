import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { serviceChildren } from '../../../cli/verbs/up/service-children.ts';
import type { ChildSpec } from '../../../infra/processes/keep-running.ts';
import { list, versionOf, watch } from '../../../services/adapters/kubernetes/watch.ts';
import { shardOf } from '../../../services/contracts/shards.ts';
import { counted } from '../../../cli/print/counted.ts';
import { isFinished } from '../../../workflows/job/definitions/conditions.ts';
import type { Job } from '../../../workflows/kubernetes/objects.ts';
import type { TestCluster } from '../../support/cluster.ts';
import { install } from '../../support/installation.ts';
import { cpuSeconds } from '../controller/meters/processes.ts';
import { cpuQuota } from './cpu-quota.ts';

/**
 * `npm run bench:scaling [-- --kinds ingester,dispatcher,worker,projector --processes 1,2,4 --rate 3]`: Jobs a second with that
 * many processes of one service, each with a slice of a core so small that it does about `rate` Jobs a second. All other
 * services run once, without a limit. Needs root and cgroups of version 1. On servers of its own.
 */
const { values } = parseArgs({
  options: {
    kinds: { type: 'string', default: 'ingester,dispatcher,worker,projector' },
    processes: { type: 'string', default: '1,2,4' },
    rate: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '40' },
  },
});
const SERVICES = ['ingester', 'dispatcher', 'worker', 'projector'] as const;
type Service = (typeof SERVICES)[number];

/**
 * CPU of a Job and of an idle second, in milliseconds of a core, with which a slice is computed. An estimate suffices: each number
 * of processes gets the same slice.
 */
const CPU_MS: Record<Service, { job: number; idle: number }> = {
  ingester: { job: 5, idle: 4 },
  dispatcher: { job: 6, idle: 6 },
  worker: { job: 24, idle: 12 },
  projector: { job: 5, idle: 4 },
};
const NAMESPACES = 8;
const CREATED_AT_ONCE = 10;
/** Of the Jobs, the first and last tenth are not counted: not all processes have work then. */
const [FROM, TO] = [0.1, 0.9];
const LOOK_MS = 100;
const LIMIT_MS = 600_000;

const rate = Number(values.rate);
const counts = values.processes.split(',').map(Number);
const kinds = values.kinds.split(',') as Service[];
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const ended = new Set<string>();
let waves = 0;

const installation = await install({
  ownServers: true,
  clusters: [{ name: 'local', audit: false }],
  // As few as a worker with a small slice finishes in time.
  environment: { JOBLEDGER_WORKFLOW_TASKS: '8' },
});
try {
  noteEnds().catch((error: unknown) => say(`the ends of Jobs are no longer seen: ${String(error)}`));
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
    const shard = shardOf(name, of);
    if ((left.get(shard) ?? 0) === 0) continue;
    left.set(shard, (left.get(shard) ?? 0) - 1);
    names.push(name);
  }
  return names;
}

async function grows(kind: Service, teams: readonly TestCluster[]): Promise<void> {
  const { job, idle } = CPU_MS[kind];
  const share = (rate * job + idle) / 1000;
  const others = SERVICES.filter((each) => each !== kind);
  await installation.startServices(others);
  let first: number | null = null;
  for (const count of counts) {
    const jobs = Math.round(rate * count * Number(values.seconds));
    const { perSecond, used } = await measured(kind, { count, share, jobs }, teams);
    first ??= perSecond / count;
    const times = (perSecond / first).toFixed(2);
    const slices = `${count} of ${(share * 100).toFixed(1)} % of a core`;
    say(
      `${kind.padEnd(10)} ${slices}: ${perSecond.toFixed(2)} Jobs/s, ${times} times; ${(used * 100).toFixed(0)} % of the slices used; ${counted(jobs, 'Job')}`,
    );
  }
  await installation.haltServices(others);
}

async function measured(
  kind: Service,
  { count, share, jobs }: { count: number; share: number; jobs: number },
  teams: readonly TestCluster[],
): Promise<{ perSecond: number; used: number }> {
  const { services } = installation;
  const specs = Array.from({ length: count }, (_, at) => specOf(kind, at + 1, count));
  await Promise.all(specs.map((spec) => services.start(spec)));
  // A warm-up: processes compile, groups rebalance, runs are cached.
  await (await wave(kind, teams, NAMESPACES * 4)).ended(1);
  const pids = specs.map(({ name }) => ({ name, pid: services.pid(name) ?? 0 }));
  const quotas = pids.map(({ name, pid }) => {
    const quota = cpuQuota(name, share);
    quota.hold(pid);
    return quota;
  });
  try {
    const measuredWave = await wave(kind, teams, jobs);
    const begin = await measuredWave.ended(FROM);
    const before = cpuSeconds(pids);
    const end = await measuredWave.ended(TO);
    const after = cpuSeconds(pids);
    const seconds = (end.at - begin.at) / 1000;
    const cpu = pids.reduce((sum, { name }) => sum + (after[name] ?? 0) - (before[name] ?? 0), 0);
    await measuredWave.ended(1);
    return { perSecond: (end.jobs - begin.jobs) / seconds, used: cpu / (seconds * share * count) };
  } finally {
    for (const quota of quotas) quota.end();
    await Promise.all(specs.map(({ name }) => services.halt(name)));
  }
}

function specOf(kind: Service, index: number, count: number): ChildSpec {
  const sharded = kind === 'ingester' && { JOBLEDGER_INGESTER_SHARD: `${index}/${count}` };
  const spec = serviceChildren({ ...installation.environment, ...sharded }).find(({ name }) => name === kind);
  if (spec === undefined) throw new Error(`there is no service ${kind}`);
  return { ...spec, name: `${kind}-${index}-of-${count}` };
}

interface Wave {
  /** Resolves once this share of the Jobs has ended, with the instant and their number then. */
  ended(share: number): Promise<{ at: number; jobs: number }>;
}

/** Creates one-pod Jobs in turn in each namespace. The projector ends a Job in SQL, the others in the API server. */
async function wave(kind: Service, teams: readonly TestCluster[], jobs: number): Promise<Wave> {
  waves += 1;
  const prefix = `wave-${waves}`;
  const all = Array.from({ length: jobs }, (_, at) => at);
  const next = all[Symbol.iterator]();
  const create = async (): Promise<void> => {
    for (const at of next) await teams[at % teams.length]?.createJob(`${prefix}-${at}`, {}, {});
  };
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, create));
  const count = kind === 'projector' ? endedInSql : endedInCluster;
  return {
    async ended(share) {
      const limit = performance.now() + LIMIT_MS;
      for (;;) {
        const found = await count(prefix);
        if (found >= share * jobs) return { at: performance.now(), jobs: found };
        if (performance.now() > limit) throw new Error(`only ${found} of ${jobs} Jobs have ended`);
        await pause(LOOK_MS);
      }
    },
  };
}

function endedInCluster(prefix: string): Promise<number> {
  return Promise.resolve([...ended].filter((name) => name.startsWith(`${prefix}-`)).length);
}

async function endedInSql(prefix: string): Promise<number> {
  const [row] = await installation.sql<{ jobs: number }>(
    "select count(*)::int as jobs from jobledger.jobs where name like $1 || '-%' and status = 'Complete'",
    [prefix],
  );
  return row?.jobs ?? 0;
}

/** Notes the names of the Jobs that end, until the process ends. */
async function noteEnds(): Promise<void> {
  const { client } = installation.cluster;
  const path = '/apis/batch/v1/jobs';
  let { resourceVersion } = (await list<Job>(client, path)).metadata;
  const limits = { timeoutSeconds: 3600, idleMs: 3_600_000, signal: new AbortController().signal };
  for await (const event of watch<Job>(client, path, { resourceVersion, ...limits })) {
    resourceVersion = versionOf(event);
    if ('object' in event && isFinished(event.object.status ?? {})) ended.add(event.object.metadata.name);
  }
}
