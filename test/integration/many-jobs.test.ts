import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { silentLog } from '../../services/adapters/process/log.ts';
import { openDatabase, type Database } from '../../services/adapters/postgres/database.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { createReads } from '../../services/api/reads.ts';
import { fillPostgres } from '../bench/ledger/fill.ts';
import { generateLedger } from '../bench/ledger/generate.ts';
import { startPostgres, type RealPostgres } from '../projector/real-postgres.ts';
import { eventually } from '../support/eventually.ts';
import { foldsInline } from '../support/folds-inline.ts';
import { listeningApi, type ListeningApi } from '../support/listening-api.ts';

jest.setTimeout(120_000);

const LEDGER = { events: 20_000, until: Date.parse('2026-11-22T00:00:00Z'), days: 2, variants: 3, seed: 7 };

let postgres: RealPostgres;
let database: Database;
let api: ListeningApi;

beforeAll(async () => {
  postgres = await startPostgres();
  const databaseUrl = postgres.servers.addresses.databaseUrl ?? '';
  const reports = { log: silentLog(), report: () => undefined };
  await fillPostgres({ DATABASE_URL: databaseUrl }, await generateLedger(LEDGER), reports);
  // With a shorter limit, Postgres itself would end an abandoned query, and the test would prove nothing.
  const options = { name: 'jobledger api', statementTimeoutMs: 600_000 };
  database = openDatabase({ DATABASE_URL: databaseUrl }, silentLog(), options);
  api = await listeningApi({ reads: createReads(database), folds: foldsInline(database.run) });
});
afterAll(async () => {
  await api?.close();
  await database?.close();
  await postgres?.close();
});

async function get<T>(path: string): Promise<T> {
  const answer = await fetch(`${api.url}${path}`, { headers: { authorization: 'Bearer reader-token' } });
  const body = (await answer.json()) as T;
  expect([answer.status, body]).toEqual([200, expect.anything()]);
  return body;
}

interface Result {
  name: string;
  uid: string;
  cluster: string;
  what_if: { comparison: string } | null;
  refused: string | null;
}

describe('the what-if of many Jobs', () => {
  it('contains once each Job that the filter matches, over several pages, with the same result as a what-if of that Job', async () => {
    const results: Result[] = [];
    let next: string | null = '';
    let pages = 0;
    while (next !== null) {
      const cursor: string = next === '' ? '' : `&cursor=${next}`;
      const path = `/v1/what-if?status=Failed,Succeeded&set=backoffLimit%3D0&limit=500${cursor}`;
      const page: { items: Result[]; next: string | null } = await get(path);
      results.push(...page.items);
      next = page.next;
      pages += 1;
    }
    const jobs = await postgres.database.run<{ uid: string; events: number }>(
      sql`select uid, (select count(*)::integer from jobledger.events e where e.cluster = j.cluster and job_uid = uid) as events
        from jobledger.jobs j where kubectl_status in ('Failed', 'Complete') and deleted_at is null
        order by coalesce(created_at, first_seen_at) desc, cluster desc, uid desc`,
    );
    expect(results.map(({ uid }) => uid)).toEqual(jobs.map(({ uid }) => uid));
    // A page ends when it has read 5,000 events, so it has at most these and the events of one more Job.
    const events = jobs.reduce((sum, job) => sum + job.events, 0);
    expect(pages).toBeGreaterThanOrEqual(Math.max(Math.ceil(jobs.length / 500), Math.floor(events / 6000)));
    expect(pages).toBeGreaterThan(1);
    const found = new Set(results.map((result) => result.what_if?.comparison));
    expect([...found]).toEqual(expect.arrayContaining(['same', 'different']));
    for (const result of results.slice(0, 20)) {
      const { cluster, uid, name, what_if: whatIf } = result;
      const alone = await get(`/v1/jobs/${name}/what-if?set=backoffLimit%3D0&cluster=${cluster}&uid=${uid}`);
      expect(alone).toEqual(whatIf);
    }
  });

  it('contains, for a Job without a result, the reason why there is none', async () => {
    await database.run(sql`delete from jobledger.events where (cluster, job_uid) in
      (select cluster, uid from jobledger.jobs where deleted_at is null order by created_at desc limit 1)`);
    const { items } = await get<{ items: Result[] }>('/v1/what-if?set=backoffLimit%3D0&limit=1');
    expect(items).toEqual([expect.objectContaining({ what_if: null, refused: expect.stringMatching(/./) })]);
  });
});

interface Group {
  value: string;
  job_count: number;
  active: number;
  message: string | null;
}

describe('the groups of Jobs by a reason', () => {
  it('are, when grouped by failure, the reasons in the Failed conditions', async () => {
    const { items } = await get<{ items: Group[] }>('/v1/groups?by=failure');
    const rows = await database.run(
      sql`select c.reason as value, count(*)::integer as job_count, sum(active)::integer as active, null as message
        from jobledger.jobs j join jobledger.conditions c on c.cluster = j.cluster and c.job_uid = j.uid
        where c.type = 'Failed' and c.status = 'True' and deleted_at is null
        group by 1 order by job_count desc, value`,
    );
    expect(rows.length).toBeGreaterThan(1);
    expect(items).toEqual(rows);
  });

  it('are, when grouped by waiting, the rules by which open Jobs wait, with the active pods of these Jobs', async () => {
    const wait = (rule: string, jobs: number): Promise<unknown> =>
      database.run(
        sql`update jobledger.jobs set kubectl_status = 'Running', finished_at = null, active = 2,
            waiting_rule = ${rule}, waiting_message = ${`waits by ${rule}`}
          where (cluster, uid) in (select cluster, uid from jobledger.jobs
            where kubectl_status = 'Complete' and deleted_at is null order by uid limit ${jobs})`,
      );
    await wait('J-5.40', 3);
    await wait('J-6.1', 1);
    expect(await get('/v1/groups?by=waiting')).toEqual({
      items: [
        { value: 'J-5.40', job_count: 3, active: 6, message: 'waits by J-5.40' },
        { value: 'J-6.1', job_count: 1, active: 2, message: 'waits by J-6.1' },
      ],
    });
  });
});

describe('a query for a caller of the API', () => {
  it('ends in Postgres soon after the caller closes the connection', async () => {
    const running = async (): Promise<number> => {
      const [row] = await postgres.database.run<{ count: number }>(
        sql`select count(*)::integer as count from pg_stat_activity
          where application_name = ${'jobledger api'} and state = ${'active'}`,
      );
      return row?.count ?? 0;
    };
    await postgres.database.transaction(async (run) => {
      await run(sql`lock table jobledger.jobs in access exclusive mode`);
      const headers = { authorization: 'Bearer reader-token' };
      const asked = request(`${api.url}/v1/jobs`, { headers }).on('error', () => undefined);
      asked.end();
      await eventually('the query runs', 10, async () => (await running()) === 1 || undefined);
      asked.destroy();
      await eventually('the query has ended', 10, async () => (await running()) === 0 || undefined);
    });
    expect(await get('/v1/jobs?limit=1')).toMatchObject({ items: [expect.anything()] });
  });
});
