import { namespaceShard } from '../../services/shards/shards.ts';
import { trueCondition } from '../../workflows/batch/conditions.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { copyOfEtcd } from '../support/copy-of-etcd.ts';
import { eventually } from '../support/eventually.ts';
import {
  ingesterName,
  installSharded,
  NAMESPACES,
  type ShardedIngesters,
} from '../support/sharded-ingesters.ts';
import { verifyAll } from '../support/verify.ts';

// Each version of each Job and pod must be in the ledger once, and each Job must run, whatever number of ingesters there is.
// Ingesters of one, two and three shards take over from each other and are killed.
let sharded: ShardedIngesters;

beforeAll(async () => {
  sharded = await installSharded({ ownServers: true });
  await sharded.start(2);
}, 180_000);

afterAll(() => sharded?.stop(), 60_000);

/** Returns the namespaces in which the Job of this name has finished. */
async function finishedIn(name: string): Promise<string[]> {
  const jobs = await Promise.all(sharded.teams.map((team) => team.job(name)));
  return jobs.flatMap((job) => (job?.status?.succeeded === 2 ? [job.metadata.namespace ?? ''] : []));
}

describe('a cluster whose ingesters of two shards are killed, stopped and divided anew', () => {
  it('loses no event when an ingester is killed, and the Jobs of the other shard run while an ingester is stopped', async () => {
    await sharded.installation.services.halt(ingesterName(2, 2));
    const ended = await sharded.wave();
    const ofFirst = NAMESPACES.filter((name) => namespaceShard(name, 2) === 1);
    const all = await eventually('the Jobs of the first shard have run', 60, async () => {
      const found = await finishedIn(sharded.waveName());
      return found.length >= ofFirst.length ? found : undefined;
    });
    expect(all.toSorted()).toEqual(ofFirst);
    expect(ofFirst.length).toBeGreaterThan(0);
    expect(ofFirst.length).toBeLessThan(NAMESPACES.length);
    await sharded.start(2, [2]);
    await ended();
    const killed = await sharded.wave();
    await sharded.installation.kill(ingesterName(1, 2));
    await killed();
    await sharded.installation.answers(ingesterName(1, 2));
    expect(await sharded.wrongVersions()).toEqual([]);
  }, 180_000);

  it('has no gap when the number of shards changes while Jobs run', async () => {
    const first = await sharded.wave();
    await Promise.all([sharded.halt(2), sharded.start(3)]);
    await first();
    const second = await sharded.wave();
    await Promise.all([sharded.halt(3), sharded.start(1)]);
    await second();
    expect(await sharded.wrongVersions()).toEqual([]);
    await sharded.halt(1);
    await sharded.start(2);
    await (
      await sharded.wave()
    )();
    expect(await sharded.wrongVersions()).toEqual([]);
  }, 240_000);

  it('begins one new epoch when its API server is restored from an older copy', async () => {
    const { teams, installation } = sharded;
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
      await sharded.wave()
    )();
    const old = await eventually('both shards are in the new epoch', 60, async () => {
      const rows = await sql<{ namespace: string; version: string }>(
        `select namespace, resource_version::text as version from jobledger.jobs where name = $1`,
        [sharded.waveName()],
      );
      return rows.length === teams.length
        ? rows.filter(({ version }) => !/^1\d{30}$/.test(version))
        : undefined;
    });
    expect(old).toEqual([]);
  }, 240_000);

  it('begins a new epoch also when the copy lacks only a status that was written while no ingester ran', async () => {
    const { teams, installation } = sharded;
    const { sql } = installation;
    const [first] = teams;
    const deadline = { parallelism: 1, activeDeadlineSeconds: 20 };
    await first?.createJob('late', deadline, { command: ['sleep', '300'] });
    await eventually('its ready pod is in SQL', 60, async () => {
      const found = await sql("select from jobledger.jobs where name = 'late' and ready = 1");
      return found.length > 0 ? true : undefined;
    });
    await sharded.halt(2);
    const restore = copyOfEtcd(installation);
    const isFailing = ({ status = {} }: Job): boolean => trueCondition(status, 'FailureTarget') !== undefined;
    const copied = await first?.job('late');
    expect(copied && isFailing(copied)).toBe(false);
    await first?.jobWhere('late', 'is past its deadline', isFailing);
    await restore({ writes: 150 });
    await sharded.start(2);
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
    expect((await verifyAll(sharded.installation)).findings).toEqual([]);
  }, 60_000);
});
