import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES } from '../../cli/verbs/up/service-children.ts';
import { failingFirst } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { listDifferences, rebuildTables } from '../support/rebuild.ts';
import { verifyAll } from '../support/verify.ts';

const JOBS = 10;
let installation: Installation;
const scratch = mkdtempSync(join(tmpdir(), 'jobledger-doubled-'));

beforeAll(async () => {
  installation = await install({
    api: true,
    doubled: true,
    environment: { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '1000' },
  });
  await installation.startServices();
}, 180_000);

afterAll(() => installation?.stop(), 30_000);

describe('while two copies of every service run, and after one copy of each is killed,', () => {
  it('each of ten Jobs has exactly its three pods and their rows, and each event is recorded once (J-3.1)', async () => {
    const { cluster, services } = installation;
    const names = Array.from({ length: JOBS }, (_none, at) => `twin-${at}`);
    await Promise.all(
      names.map((name) =>
        cluster.createJob(
          name,
          { parallelism: 1, completions: 2 },
          { command: failingFirst(1, mkdtempSync(join(scratch, name))) },
        ),
      ),
    );
    await cluster.jobWhere('twin-0', 'has begun', ({ status }) => status?.startTime !== undefined);
    // The kills lose the Lease, the partitions of the consumers, and the sticky tasks of the worker.
    for (const name of SERVICES) await services.kill(name);
    for (const name of names) {
      const job = await cluster.finished(name, 90);
      expect(job.status).toMatchObject({ succeeded: 2, failed: 1 });
      expect(await cluster.listPods(name)).toHaveLength(3);
    }
    const rows = await eventually('all rows are in SQL', 20, async () => {
      const found = await installation.sql<{ name: string; pods: number }>(
        "select job_name as name, count(*)::int as pods from jobledger.pods group by 1 having count(*) filter (where phase in ('Succeeded', 'Failed')) = 3",
      );
      return found.length === JOBS ? found : undefined;
    });
    expect(rows.map(({ pods }) => pods)).toEqual(Array.from({ length: JOBS }, () => 3));
    const repeated = await installation.sql(
      'select id from jobledger.events group by id having count(*) > 1',
    );
    expect(repeated).toEqual([]);
  }, 180_000);

  it('every recorded decision is the same when it is made again from the ledger', async () => {
    const { findings, decisions } = await verifyAll(installation);
    expect(findings).toEqual([]);
    expect(decisions).toBeGreaterThan(JOBS);
  }, 60_000);

  it('rebuilt tables equal the live tables', async () => {
    const rebuilt = await rebuildTables(installation.environment, '--check');
    expect(listDifferences(rebuilt)).toEqual([]);
    expect(rebuilt.records).toBeGreaterThan(10 * JOBS);
  }, 60_000);
});
