import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { verifyAll } from '../support/verify.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await install({ ownClusters: true, clusters: [{ name: 'east' }, { name: 'west' }] });
  await installation.startServices();
}, 180_000);

afterAll(() => installation?.stop(), 30_000);

describe('in a test of two clusters that have Jobs of the same name,', () => {
  it('a stop of one API server causes a gap in that cluster only, and delays no Job of the other cluster', async () => {
    const { servers, sql } = installation;
    const { east, west } = installation.clusters;
    if (east === undefined || west === undefined) throw new Error('two clusters are needed');
    await Promise.all(
      [east, west].map((cluster) => cluster.createJob('same', {}, { command: ['sleep', '4'] })),
    );
    await Promise.all(
      [east, west].map((cluster) => cluster.jobWhere('same', 'runs', ({ status }) => status?.active === 1)),
    );
    await servers.halt('west-kube-apiserver');
    await east.createJob('meanwhile', {}, {});
    expect((await east.finished('meanwhile', 30)).status).toMatchObject({ succeeded: 1 });
    expect((await east.finished('same', 30)).status).toMatchObject({ succeeded: 1 });
    await servers.start('west-kube-apiserver');
    expect((await west.finished('same', 60)).status).toMatchObject({ succeeded: 1 });
    const rows = await eventually('both are in SQL', 20, async () => {
      const found = await sql<{ cluster: string; pods: number }>(
        "select cluster, count(distinct uid)::int as pods from jobledger.pods where job_name = 'same' group by 1 order by 1",
      );
      return found.length === 2 ? found : undefined;
    });
    expect(rows).toEqual([
      { cluster: 'east', pods: 1 },
      { cluster: 'west', pods: 1 },
    ]);
    const gaps = await sql<{ cluster: string }>(
      "select distinct data->>'cluster' as cluster from jobledger.events where type = 'cluster.gap'",
    );
    expect(gaps).toEqual([{ cluster: 'west' }]);
    expect(await west.listPods('same')).toHaveLength(1);
  }, 180_000);

  it('every recorded decision is the same when it is made again from the ledger', async () => {
    expect((await verifyAll(installation)).findings).toEqual([]);
  }, 60_000);
});
