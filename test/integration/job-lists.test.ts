import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toBuckets, jobsByStatus, jobsByTime } from '../../services/api/queries/job-counts.ts';
import { jobsPage, placeOfJob, type JobsFilter } from '../../services/api/queries/jobs.ts';
import type { JobsOrder } from '../../services/read-model/shown/job-lists.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { tableRows } from '../../cli/sources/tables.ts';
import {
  meetsRequirement,
  SELECTOR,
  selectorIn,
  selectorText,
  splitSelector,
} from '../../services/read-model/queries/label-selector.ts';
import type { JobView } from '../../services/read-model/views/jobs.ts';
import { pagesRead } from '../support/pages-read.ts';
import { emptied, startPostgres, type RealPostgres } from '../projector/real-postgres.ts';

/** Of these Jobs, one in a hundred failed, one in a thousand runs, and the older half is deleted except in one namespace. */
const JOBS = 40_000;
const FILL = `insert into jobledger.jobs (cluster, uid, namespace, name, claimed, kubectl_status, suspend, labels, owner_kind, owner_name, series, resource_version,
    active, ready, terminating, succeeded, failed, conditions, created_at, finished_at, deleted_at, first_seen_at, last_seen_at,
    attempt_count, decision_count, command_count, failed_command_count, last_decision_number, pod_summary, status, reason)
  select 'cluster-' || n % 4, 'uid-' || n, 'namespace-' || n % 20, 'job-' || n, true,
    case when n % 1000 = 0 then 'Running' when n % 100 = 0 then 'Failed' else 'Complete' end,
    false, jsonb_build_object('team', 'team-' || n % 50, 'run', n::text), case when n % 3 = 0 then 'CronJob' end,
    case when n % 3 = 0 then 'nightly-' || n % 100 end, 'job', n, 0, 0, 0, 1, 0,
    jsonb_build_array(jsonb_build_object('type', 'Complete', 'message', repeat('reached ', 70))),
    timestamptz '2026-01-01' + n * interval '1 minute',
    case when n % 1000 <> 0 then timestamptz '2026-01-01' + n * interval '1 minute' + interval '30 seconds' end,
    case when n % 20 <> 3 and n < $1::int / 2 then now() end,
    timestamptz '2026-01-01' + n * interval '1 minute', now(), 1, 2, 3, 0, 2, '{"running": 0, "failed": {}, "waiting": {}}',
    case when n % 1000 = 0 then 'Running' when n % 100 = 0 then 'Failed' else 'Succeeded' end,
    case when n % 100 = 0 and n % 1000 <> 0 then 'exit code ' || n % 7 || ' ×1: back-off limit reached' end
  from generate_series(1, $1::int) n`;

let postgres: RealPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
  await emptied(postgres.database);
  await postgres.database.run({ text: FILL, values: [JOBS] });
  await postgres.database.run({ text: 'vacuum analyze jobledger.jobs', values: [] });
}, 120_000);
afterAll(() => postgres?.close(), 60_000);

const ALIVE: JobsFilter = { labels: {}, deleted: false };
const INSTANT = '2026-01-15T00:00:00Z';

describe('the query for a page of Jobs', () => {
  const table = (): Promise<{ pages: number }> =>
    pagesRead(postgres.database, { text: 'select count(labels) from jobledger.jobs', values: [] });

  it.each<[string, JobsFilter, number]>([
    ['for the newest Jobs', ALIVE, 51],
    ['with deleted Jobs', { ...ALIVE, deleted: true }, 51],
    ['of a cluster', { ...ALIVE, cluster: 'cluster-2' }, 51],
    ['of a namespace', { ...ALIVE, namespace: 'namespace-7' }, 51],
    ['for running Jobs', { ...ALIVE, kubectlStatus: ['Running'] }, 21],
    ['for failed Jobs', { ...ALIVE, kubectlStatus: ['Failed'] }, 51],
    ['for a status', { ...ALIVE, status: ['Failed'] }, 51],
    ['for a status, with deleted Jobs', { ...ALIVE, deleted: true, status: ['Running'] }, 40],
    ['for a namespace, with deleted Jobs', { ...ALIVE, deleted: true, namespace: 'namespace-7' }, 51],
    ['for a cluster, with deleted Jobs', { ...ALIVE, deleted: true, cluster: 'cluster-2' }, 51],
    ['with a reason', { ...ALIVE, deleted: true, reason: 'exit code 3: back-off limit reached' }, 51],
    ['with a common label', { ...ALIVE, labels: { team: 'team-7' } }, 51],
    ['with a label of a single Job', { ...ALIVE, labels: { run: '39999' } }, 1],
    ['by name', { ...ALIVE, name: 'job-39990' }, 1],
    ['for Jobs created since an instant', { ...ALIVE, createdFrom: INSTANT }, 51],
    ['for the Jobs of an owner', { ...ALIVE, owner: { kind: 'CronJob', name: 'nightly-7' } }, 51],
    [
      'for Jobs finished since an instant',
      { ...ALIVE, deleted: true, finishedFrom: '2026-01-28T18:00:00Z' },
      40,
    ],
  ])('reads less than a quarter of the table: a query %s', async (_name, filter, expected) => {
    const { rows, pages } = await pagesRead(
      postgres.database,
      jobsPage(filter, { after: null, limit: 50 }, null),
    );
    expect(rows).toBe(expected);
    expect(pages).toBeLessThan((await table()).pages / 4);
  });

  it('reads less than a quarter of the table after a cursor', async () => {
    const { rows, pages } = await pagesRead(
      postgres.database,
      jobsPage(ALIVE, { after: ['-created', INSTANT, 'cluster-1', 'uid-1'], limit: 50 }, null),
    );
    expect(rows).toBe(51);
    expect(pages).toBeLessThan((await table()).pages / 4);
  });

  it.each<[JobsOrder, (job: JobView) => string]>([
    ['-created', ({ created_at: at }) => at ?? ''],
    ['created', ({ created_at: at }) => at ?? ''],
    ['-finished', ({ finished_at: at }) => at ?? 'running'],
    ['finished', ({ finished_at: at }) => at ?? 'running'],
    ['-name', ({ name }) => name],
    ['name', ({ name }) => name],
  ])(
    'reads less than a quarter of the table in the order %s, also for the next page',
    async (order, readValue) => {
      const all = await postgres.database.run<JobView>(
        sql`select * from jobledger.jobs where deleted_at is null`,
      );
      const values = all.map(readValue).toSorted();
      const expected = order.startsWith('-') ? values.toReversed() : values;
      const first = jobsPage(ALIVE, { after: null, limit: 50, order }, null);
      const shown = (await postgres.database.run<JobView>(first)).slice(0, 50);
      const [last] = shown.slice(-1);
      if (last === undefined) throw new Error('the first page is empty');
      const second = jobsPage(ALIVE, { after: placeOfJob(last, order), limit: 50, order }, null);
      shown.push(...(await postgres.database.run<JobView>(second)).slice(0, 50));
      expect(shown.map(readValue)).toEqual(expected.slice(0, 100));
      expect(new Set(shown.map(({ uid }) => uid)).size).toBe(100);
      for (const page of [first, second]) {
        const { rows, pages } = await pagesRead(postgres.database, page);
        expect(rows).toBe(51);
        expect(pages).toBeLessThan((await table()).pages / 4);
      }
    },
  );

  it.each<JobsOrder>(['-created', '-finished', 'finished', 'name'])(
    'reads less than a quarter of the table in the order %s, with deleted Jobs',
    async (order) => {
      const filter = { ...ALIVE, deleted: true };
      const page = jobsPage(filter, { after: null, limit: 50, order }, null);
      const { rows, pages } = await pagesRead(postgres.database, page);
      expect(rows).toBe(51);
      expect(pages).toBeLessThan((await table()).pages / 4);
    },
  );

  it('returns the requested number of Jobs and one more, in the requested order, to "jobledger get"', async () => {
    const rows = tableRows(postgres.database.run);
    expect(await rows.jobs({ deleted: false, limit: 100 })).toHaveLength(101);
    const failed = await rows.jobs({ deleted: true, limit: 9, statuses: ['Failed'], order: 'name' });
    expect(failed.map(({ name }) => name).slice(0, 2)).toEqual(['job-100', 'job-10100']);
  });
});

describe('the query that counts all Jobs', () => {
  const buckets = toBuckets(Date.parse('2026-01-01T00:00:00Z'), Date.parse('2026-02-01T00:00:00Z'), 80);
  const everything: JobsFilter = { ...ALIVE, deleted: true };
  const places = [{ cluster: 'cluster-1', namespace: '*' }];

  it.each([
    ['by status', jobsByStatus(everything, null), 1],
    ['by status, without deleted Jobs', jobsByStatus(ALIVE, null), 1],
    ['by status, for a single cluster', jobsByStatus({ ...everything, cluster: 'cluster-2' }, null), 1],
    ['by status, for a caller of a cluster', jobsByStatus(everything, places), 1],
    // The query scans once for the creations and once for the ends.
    ['over time', jobsByTime(everything, buckets, null), 2],
    ['over time, for a caller of a cluster', jobsByTime(everything, buckets, places), 2],
  ])('reads less than half of the table for each scan: a count %s', async (_name, statement, scans) => {
    const table = await pagesRead(postgres.database, {
      text: 'select count(labels) from jobledger.jobs',
      values: [],
    });
    const { pages } = await pagesRead(postgres.database, statement);
    expect(pages).toBeLessThan((scans * table.pages) / 2);
  });
});

describe('a label selector in the API', () => {
  it.each([
    ['team=team-7', 20],
    ['team in (team-7, team-8)', 40],
    ['team notin (team-7),run', 980],
    ['team!=team-7', 980],
    ['!team', 0],
    ['!other,run in (3,5,nothing)', 2],
  ])('finds exactly the Jobs whose labels meet each requirement: %s', async (text, expected) => {
    const { database } = postgres;
    const selector = selectorIn(text);
    const { labels, others } = splitSelector(selector);
    const filter: JobsFilter = {
      deleted: true,
      labels,
      selector: others,
      createdBefore: '2026-01-01T16:40:30Z',
    };
    const page = jobsPage(filter, { after: null, limit: 2000 }, null);
    const found = await database.run<JobView>(page);
    expect(found).toHaveLength(expected);
    const all = await database.run<JobView>(
      jobsPage({ ...filter, labels: {}, selector: [] }, { after: null, limit: 2000 }, null),
    );
    expect(
      all.filter((job) => selector.every((each) => meetsRequirement(each, job.labels))).map(({ uid }) => uid),
    ).toEqual(found.map(({ uid }) => uid));
    expect(selectorIn(selectorText(selector))).toEqual(selector);
  });

  it.each(['team in', 'team in (a', '=a', 'a=b=c', 'a,,b', 'team=(a)'])(
    'is refused when it is invalid: %s',
    (text) => {
      expect(() => selectorIn(text)).toThrow('is not a requirement of a label selector');
      expect(text).not.toMatch(new RegExp(SELECTOR, 'u'));
    },
  );
});
