import { serviceChildren } from '../../cli/verbs/up/service-children.ts';
import { namespaceShard } from '../../services/shards/shards.ts';
import { trueCondition } from '../../workflows/batch/conditions.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { checkVersions } from '../kills/check-versions.ts';
import type { TestCluster } from '../support/cluster.ts';
import { copyOfEtcd } from '../support/copy-of-etcd.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { ledgerEvents } from '../support/ledger-events.ts';
import { verifyAll } from '../support/verify.ts';
import { witnessCollection, type Witness } from '../support/witness.ts';

// Each version of each Job and pod must be in the ledger once, and each Job must run, whatever number of ingesters there is.
// Ingesters of one, two and three shards take over from each other and are killed while Jobs run in six namespaces, and a
// witness watches beside them.
const NAMESPACES = ['team-a', 'team-b', 'team-c', 'team-d', 'team-e', 'team-f'];

let installation: Installation;
let teams: TestCluster[];
let witnesses: { jobs: Witness; pods: Witness };
let waves = 0;

beforeAll(async () => {
  installation = await install({ separate: true, ownServers: true });
  const { cluster } = installation;
  [teams] = await Promise.all([
    Promise.all(NAMESPACES.map((name) => cluster.inNewNamespace(name))),
    installation.startServices(['dispatcher', 'worker', 'projector']),
  ]);
  const [jobs, pods] = await Promise.all([
    witnessCollection(cluster.client, '/apis/batch/v1/jobs'),
    witnessCollection(cluster.client, '/api/v1/pods'),
  ]);
  witnesses = { jobs, pods };
}, 180_000);

afterAll(async () => {
  witnesses?.jobs.stop();
  witnesses?.pods.stop();
  await installation?.stop();
}, 60_000);

const ingesterName = (index: number, of: number): string => `ingester-${index}-of-${of}`;
const shards = (of: number): number[] => Array.from({ length: of }, (_, at) => at + 1);

async function start(of: number, which: readonly number[] = shards(of)): Promise<void> {
  await Promise.all(
    which.map(async (index) => {
      const environment = { ...installation.environment, JOBLEDGER_INGESTER_SHARD: `${index}/${of}` };
      const spec = serviceChildren(environment).find(({ name }) => name === 'ingester');
      if (spec === undefined) throw new Error('there is no ingester');
      await installation.services.start({ ...spec, name: ingesterName(index, of) });
    }),
  );
}

async function halt(of: number): Promise<void> {
  await Promise.all(shards(of).map((index) => installation.services.halt(ingesterName(index, of))));
}

/** Creates a Job in each namespace, and returns a function that waits for the ends of these Jobs. */
async function wave(): Promise<() => Promise<void>> {
  waves += 1;
  const name = `wave-${waves}`;
  await Promise.all(teams.map((team) => team.createJob(name, { completions: 2, parallelism: 2 }, {})));
  return async () => {
    const ended = await Promise.all(teams.map((team) => team.finished(name, 60)));
    expect(ended.map(({ status }) => status?.succeeded)).toEqual(teams.map(() => 2));
  };
}

/** Returns the namespaces in which the Job of this name has finished. */
async function finishedIn(name: string): Promise<string[]> {
  const jobs = await Promise.all(teams.map((team) => team.job(name)));
  return jobs.flatMap((job) => (job?.status?.succeeded === 2 ? [job.metadata.namespace ?? ''] : []));
}

/** Returns findings about the versions that the witness has seen: none if each is in SQL once and there is no gap. */
async function wrongVersions(): Promise<unknown[]> {
  const { findings, figures } = await checkVersions(installation, witnesses, new Set());
  const { versionsOffered, versionsInGaps, versionsListedAgain, gaps } = figures;
  if (versionsOffered <= waves * teams.length * 4) return [`only ${versionsOffered} versions were offered`];
  return versionsInGaps + versionsListedAgain + gaps === 0 ? findings : [...findings, figures];
}

describe('a cluster that several ingesters divide among themselves', () => {
  it('has no gap when the ingesters of two shards wait for a single ingester and take over from it', async () => {
    await start(1);
    await (
      await wave()
    )();
    await start(2);
    await (
      await wave()
    )();
    // Two ingesters that record at the same time would append each observation twice.
    const observed = (await ledgerEvents(installation.environment)).filter(
      ({ type }) => type === 'pod.observed',
    );
    expect(observed.length).toBe(new Set(observed.map(({ id }) => id)).size);
    const third = await wave();
    await halt(1);
    await third();
    expect(await wrongVersions()).toEqual([]);
  }, 120_000);

  it('loses no event when an ingester is killed, and the Jobs of the other shard run while an ingester is stopped', async () => {
    await installation.services.halt(ingesterName(2, 2));
    const ended = await wave();
    const ofFirst = NAMESPACES.filter((name) => namespaceShard(name, 2) === 1);
    const all = await eventually('the Jobs of the first shard have run', 60, async () => {
      const found = await finishedIn(`wave-${waves}`);
      return found.length >= ofFirst.length ? found : undefined;
    });
    expect(all.toSorted()).toEqual(ofFirst);
    expect(ofFirst.length).toBeGreaterThan(0);
    expect(ofFirst.length).toBeLessThan(NAMESPACES.length);
    await start(2, [2]);
    await ended();
    const killed = await wave();
    await installation.kill(ingesterName(1, 2));
    await killed();
    await installation.answers(ingesterName(1, 2));
    expect(await wrongVersions()).toEqual([]);
  }, 180_000);

  it('has no gap when the number of shards changes while Jobs run', async () => {
    const first = await wave();
    await Promise.all([halt(2), start(3)]);
    await first();
    const second = await wave();
    await Promise.all([halt(3), start(1)]);
    await second();
    expect(await wrongVersions()).toEqual([]);
    await halt(1);
    await start(2);
    await (
      await wave()
    )();
    expect(await wrongVersions()).toEqual([]);
  }, 240_000);

  it('begins one new epoch when its API server is restored from an older copy', async () => {
    const { sql } = installation;
    const restore = copyOfEtcd(installation);
    const [first] = teams;
    await first?.createJob('after-copy', {}, {});
    await first?.finished('after-copy', 60);
    // With these changes, the versions of the new epoch stay below the observed versions in one shard only.
    for (let each = 0; each < 300; each += 1)
      await first?.patchJob('after-copy', { metadata: { annotations: { changed: String(each) } } });
    await restore();
    const epochs = await eventually('the restore is in SQL', 60, async () => {
      const found = await sql<{ epoch: string }>(
        "select distinct data->>'epoch' as epoch from jobledger.events where type = 'cluster.restored'",
      );
      return found.length > 0 ? found : undefined;
    });
    expect(epochs).toEqual([{ epoch: '1' }]);
    await (
      await wave()
    )();
    const old = await eventually('both shards are in the new epoch', 60, async () => {
      const rows = await sql<{ namespace: string; version: string }>(
        `select namespace, resource_version::text as version from jobledger.jobs where name = $1`,
        [`wave-${waves}`],
      );
      return rows.length === teams.length
        ? rows.filter(({ version }) => !/^1\d{30}$/.test(version))
        : undefined;
    });
    expect(old).toEqual([]);
  }, 240_000);

  it('begins a new epoch also when the copy lacks only a status that was written while no ingester ran', async () => {
    const { sql } = installation;
    const [first] = teams;
    const deadline = { parallelism: 1, activeDeadlineSeconds: 20 };
    await first?.createJob('late', deadline, { command: ['sleep', '300'] });
    await eventually('its ready pod is in SQL', 60, async () => {
      const found = await sql("select from jobledger.jobs where name = 'late' and ready = 1");
      return found.length > 0 ? true : undefined;
    });
    await halt(2);
    const restore = copyOfEtcd(installation);
    const isFailing = ({ status = {} }: Job): boolean => trueCondition(status, 'FailureTarget') !== undefined;
    const copied = await first?.job('late');
    expect(copied && isFailing(copied)).toBe(false);
    await first?.jobWhere('late', 'is past its deadline', isFailing);
    await restore({ writes: 150 });
    await start(2);
    await eventually('the second epoch is in SQL', 60, async () => {
      const found = await sql(
        "select from jobledger.events where type = 'cluster.restored' and data->>'epoch' = '2'",
      );
      return found.length > 0 ? true : undefined;
    });
    const ended = await first?.finished('late', 60);
    expect(trueCondition(ended?.status ?? {}, 'Failed')?.reason).toBe('DeadlineExceeded');
  }, 240_000);

  it('has only decisions that are the same when they are made again from the ledger', async () => {
    expect((await verifyAll(installation)).findings).toEqual([]);
  }, 60_000);
});
