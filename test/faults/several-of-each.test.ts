import type { Client } from '@temporalio/client';
import type { ChildSpec } from '../../infra/local/processes/keep-running.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { connectKafka, type KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { committedOffsets, consumerGroup } from '../../services/consumers/groups.ts';
import { readEnds } from '../../services/adapters/kafka/scan.ts';
import { workflowId } from '../../services/adapters/temporal/names.ts';
import { serviceChildren } from '../../cli/verbs/up/service-children.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { verifyAll } from '../support/verify.ts';
import { watchOffsets, type OffsetWatch } from '../support/watch-offsets.ts';

const KINDS = ['dispatcher', 'ingester', 'projector', 'worker'] as const;
type Kind = (typeof KINDS)[number];
const STEPS = [
  ['dispatcher', 'projector'],
  ['ingester', 'worker'],
] as const;

/** Each replica serves these clusters before and after the rolling restart, which adds a cluster. */
const BEFORE = { a: ['east'], b: ['west', 'east'] };
const AFTER = { a: ['east', 'north'], b: ['north', 'west'] };
type Member = keyof typeof AFTER;

/**
 * The live topic may show a deletion of the ledger this number of milliseconds later. A dispatcher that gets a partition before
 * that, or while pods remain, starts workflows for what it reads again of the Job.
 */
const LIVE_TOPIC_MS = 3000;

let installation: Installation;
let temporal: Client;
let ledger: KafkaConnection;
let commits: OffsetWatch;
let applied: OffsetWatch;
const created: { cluster: string; job: Job }[] = [];
const deleted: string[] = [];

beforeAll(async () => {
  installation = await install({
    separate: true,
    clusters: ['east', 'north', 'west'].map((name) => ({ name, audit: false })),
  });
  temporal = await installation.temporal();
  const log = createLog('test');
  log.level = 'silent';
  ledger = connectKafka(readConfig(kafkaEnvironment, installation.environment), log);
  commits = watchOffsets(() => committedOffsets(ledger, consumerGroup(ledger, 'dispatcher')));
  applied = watchOffsets(async () => {
    const rows = await installation.sql<{ partition: number; at: string }>(
      'select partition, next_offset::text as at from jobledger.positions',
    );
    return new Map(rows.map(({ partition, at }) => [partition, BigInt(at)]));
  });
  for (const kinds of STEPS)
    await Promise.all(
      kinds.flatMap((kind) => [start(serviceSpec(kind, 'a', BEFORE)), start(serviceSpec(kind, 'b', BEFORE))]),
    );
}, 180_000);

afterAll(async () => {
  await Promise.all([commits?.stop(), applied?.stop(), temporal?.connection.close()]);
  await installation?.stop();
}, 30_000);

/** Describes one replica of a service. A dispatcher is not configured with clusters. */
function serviceSpec(kind: Kind, member: Member, serves: Record<Member, string[]>): ChildSpec {
  const { JOBLEDGER_KUBECONFIG: kubeconfig, ...others } = installation.environment;
  const clusters = { JOBLEDGER_KUBECONFIG: kubeconfig, JOBLEDGER_CONTEXTS: serves[member].join(',') };
  const environment = kind === 'dispatcher' ? others : { ...others, ...clusters };
  const spec = serviceChildren(environment).find(({ name }) => name === kind);
  if (spec === undefined) throw new Error(`there is no service ${kind}`);
  return { ...spec, name: `${kind}-${member}` };
}

function start(spec: ChildSpec): Promise<void> {
  return installation.services.start(spec);
}

/** Creates a Job in each cluster. */
async function createJobs(name: string, command = ['true']): Promise<void> {
  await Promise.all(
    Object.entries(installation.clusters).map(async ([cluster, at]) => {
      const job = await at.createJob(name, { completions: 2, parallelism: 2 }, { command });
      created.push({ cluster, job });
    }),
  );
}

async function deleteJobs(name: string): Promise<void> {
  for (const { cluster, job } of created.filter(({ job: { metadata } }) => metadata.name === name)) {
    await installation.clusters[cluster]?.deleteJob(name, 'Background');
    deleted.push(workflowId(cluster, job.metadata.uid, 'Job'));
  }
}

/** Returns the Jobs in any cluster whose final status is not as expected. */
async function unfinished(names: readonly string[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const [cluster, at] of Object.entries(installation.clusters))
    for (const name of names)
      if ((await at.finished(name, 60)).status?.succeeded !== 2) wrong.push(`${cluster}/${name}`);
  return wrong;
}

/** Restarts one replica of each service, two services at a time, while Jobs are created. */
async function roll(member: Member): Promise<void> {
  for (const kinds of STEPS) {
    const restart = async (kind: Kind): Promise<void> => {
      await installation.services.halt(`${kind}-${member}`);
      await start(serviceSpec(kind, member, AFTER));
    };
    await Promise.all([createJobs(`${member}-${kinds[0]}`), ...kinds.map(restart)]);
  }
}

describe('with two replicas of each service on three clusters,', () => {
  it('all Jobs finish during rolling restarts that add the third cluster', async () => {
    await Promise.all([createJobs('early'), createJobs('running', ['sleep', '300'])]);
    await roll('a');
    await roll('b');
    const names = STEPS.flatMap(([kind]) => [`a-${kind}`, `b-${kind}`]);
    expect(await unfinished(['early', ...names])).toEqual([]);
  }, 150_000);

  it('new Jobs finish although dispatchers join, leave and are killed, and other Jobs are deleted', async () => {
    const { services } = installation;
    const third = { ...serviceSpec('dispatcher', 'a', AFTER), name: 'dispatcher-c' };
    await Promise.all([deleteJobs('early'), start(third), createJobs('joining')]);
    await Promise.all([deleteJobs('a-dispatcher'), services.kill('dispatcher-a'), createJobs('killed')]);
    await Promise.all([deleteJobs('a-ingester'), services.halt('dispatcher-c'), createJobs('leaving')]);
    await services.answers('dispatcher-a');
    for (const cluster of Object.values(installation.clusters))
      await cluster.jobWhere('running', 'runs', ({ status }) => status?.active === 2);
    await Promise.all([deleteJobs('b-ingester'), deleteJobs('running'), services.kill('dispatcher-b')]);
    expect(await unfinished(['joining', 'killed', 'leaving'])).toEqual([]);
    await services.answers('dispatcher-b');
  }, 120_000);

  it('the dispatchers commit every record of the ledger, and no workflow of a finished or deleted Job still runs', async () => {
    const ends = await readEnds(ledger, ledger.topics.ledger);
    await eventually('everything is committed', 30, () =>
      Promise.resolve(
        [...ends].every(([partition, end]) => (commits.last(partition) ?? 0n) >= end) || undefined,
      ),
    );
    await eventually('no workflow is left: each Job has finished, or is deleted', 30, async () => {
      const left = await runs("ExecutionStatus = 'Running'");
      return left.length === 0 ? true : undefined;
    });
    expect([created.length, deleted.length]).toEqual([27, 15]);
  }, 90_000);

  it('no workflow is started for a deleted Job without pods', async () => {
    const gone = await eventually('all deletions are in SQL', 30, async () => {
      const rows = await installation.sql<{ id: string; at: Date }>(
        `select cluster || '/' || job_uid as id, max(time) as at from jobledger.events
         where type in ('job.deleted', 'pod.deleted')
         group by 1 having count(*) filter (where type = 'job.deleted') > 0`,
      );
      return rows.length === deleted.length ? rows : undefined;
    });
    const knownGoneAt = new Map(gone.map(({ id, at }) => [id, at.getTime() + LIVE_TOPIC_MS]));
    expect([...knownGoneAt.keys()].toSorted()).toEqual(deleted.toSorted());
    const all = await runs();
    expect(all.filter(({ id, at }) => at > (knownGoneAt.get(id) ?? Infinity))).toEqual([]);
    expect(new Set(all.map(({ id }) => id)).size).toBe(created.length);
  }, 60_000);

  it('no committed offset decreases', () => {
    expect([commits.looks() > 100, commits.stepsBack()]).toEqual([true, []]);
    expect([applied.looks() > 100, applied.stepsBack()]).toEqual([true, []]);
  });

  it('every recorded decision is the same when it is made again from the ledger', async () => {
    expect((await verifyAll(installation)).findings).toEqual([]);
  }, 60_000);
});

async function runs(where?: string): Promise<{ id: string; at: number }[]> {
  const query = ["WorkflowType = 'jobWorkflow'", ...(where === undefined ? [] : [where])].join(' AND ');
  const found: { id: string; at: number }[] = [];
  for await (const { workflowId: id, startTime } of temporal.workflow.list({ query }))
    found.push({ id, at: startTime.getTime() });
  return found;
}
