import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  toBuckets,
  jobsByGroup,
  jobsByStatus,
  jobsByTime,
  type BucketRow,
  type GroupRow,
} from '../../services/api/queries/job-counts.ts';
import type { JobsFilter } from '../../services/api/queries/jobs.ts';
import { allClusters } from '../../services/read-model/queries/clusters.ts';
import { pagesRead } from '../support/pages-read.ts';
import { emptied, startPostgres, type RealPostgres } from '../projector/real-postgres.ts';

/** Each minute has a Job, which ends after 90 s. Every tenth Job failed, the last Job runs, and the Job of minute 0 is deleted. */
const JOBS = 2000;
const FILL = `insert into jobledger.jobs (cluster, uid, namespace, name, claimed, kubectl_status, suspend, labels,
    owner_kind, owner_name, series, resource_version, active, ready, terminating, succeeded, failed, conditions, created_at, finished_at, deleted_at, first_seen_at, last_seen_at,
    attempt_count, decision_count, command_count, failed_command_count, last_decision_number, pod_summary, status, reason)
  select 'cluster-' || n % 2, 'uid-' || n, 'namespace-' || n % 5, 'job-' || n, true,
    case when n = $1::int - 1 then 'Running' when n % 10 = 0 then 'Failed' else 'Complete' end,
    false, jsonb_build_object('parity', (n % 2)::text),
    case when n % 10 = 0 then 'Flow' when n % 5 = 4 then 'CronJob' end, case when n % 10 = 0 or n % 5 = 4 then 'tick' end,
    'job', n, case when n = $1::int - 1 then 1 else 0 end, 0, 0, 1, 0, '[]',
    timestamptz '2026-01-01Z' + n * interval '1 minute',
    case when n < $1::int - 1 then timestamptz '2026-01-01Z' + n * interval '1 minute' + interval '90 seconds' end,
    case when n = 0 then now() end,
    timestamptz '2026-01-01Z' + n * interval '1 minute', now(), 1, 2, 3, 0, 2, '{"running": 0, "failed": {}, "waiting": {}}',
    case when n = $1::int - 1 then 'Running' when n % 10 = 0 then 'Failed' else 'Succeeded' end,
    case when n % 10 = 0 then '137 OOMKilled ×' || n % 3 + 1 || ': back-off limit reached' end
  from generate_series(0, $1::int - 1) n`;

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const ALIVE: JobsFilter = { labels: {}, deleted: false };

let postgres: RealPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
  await emptied(postgres.database);
  await postgres.database.run({ text: FILL, values: [JOBS] });
  await postgres.database.run({ text: 'vacuum analyze jobledger.jobs', values: [] });
}, 120_000);
afterAll(() => postgres?.close(), 60_000);

const histogram = (filter: JobsFilter, from: number, before: number, most: number): Promise<BucketRow[]> =>
  postgres.database.run(jobsByTime(filter, toBuckets(from, before, most), null));
const groups = (filter: JobsFilter, limit = 10): Promise<GroupRow[]> =>
  postgres.database.run(jobsByGroup(filter, 'kubectl_status', limit, null));

describe('the histogram of Jobs in the API', () => {
  it('counts each creation and each end in the bucket of its instant', async () => {
    const rows = await histogram({ ...ALIVE, deleted: true }, START, START + 40 * MINUTE, 2);
    expect(rows).toEqual([
      // The Jobs of the minutes 0 to 18 ended within 20 minutes, and of these the Jobs of the minutes 0 and 10 failed.
      { bucket: 0, created: 20, completed: 17, failed: 2 },
      { bucket: 1, created: 20, completed: 18, failed: 2 },
    ]);
  });

  it('omits deleted Jobs and Jobs that the filter does not match', async () => {
    const ten = START + 10 * MINUTE;
    expect(await histogram(ALIVE, START, ten, 1)).toEqual([
      { bucket: 0, created: 9, completed: 8, failed: 0 },
    ]);
    expect(await histogram({ ...ALIVE, labels: { parity: '1' } }, START, ten, 1)).toEqual([
      { bucket: 0, created: 5, completed: 4, failed: 0 },
    ]);
    expect(await histogram({ ...ALIVE, createdBefore: '2026-01-01T00:05:00Z' }, START, ten, 1)).toEqual([
      { bucket: 0, created: 4, completed: 4, failed: 0 },
    ]);
  });

  it('is empty for a period without creations and ends', async () => {
    expect(await histogram(ALIVE, 0, MINUTE, 10)).toEqual([]);
  });

  it('is computed from less than a quarter of the table when the period is short', async () => {
    const table = await pagesRead(postgres.database, {
      text: 'select count(labels) from jobledger.jobs',
      values: [],
    });
    const from = START + 1000 * MINUTE;
    const { pages } = await pagesRead(
      postgres.database,
      jobsByTime(ALIVE, toBuckets(from, from + 20 * MINUTE, 60), null),
    );
    expect(pages).toBeLessThan(table.pages / 4);
  });
});

describe('a caller of the API with rights in some places', () => {
  it('receives the counts of these places only', async () => {
    const places = [{ cluster: 'cluster-1', namespace: 'namespace-3' }];
    const ten = toBuckets(START, START + 10 * MINUTE, 1);
    expect(await postgres.database.run(jobsByTime(ALIVE, ten, places))).toEqual([
      { bucket: 0, created: 1, completed: 1, failed: 0 },
    ]);
    expect(await postgres.database.run(jobsByGroup(ALIVE, 'namespace', 10, places))).toEqual([
      { value: 'namespace-3', message: null, job_count: 200, active: 0 },
    ]);
  });
});

describe('the buckets of a histogram', () => {
  it.each([
    [0, 100, 10, { step: 10, count: 10 }],
    [0, 101, 10, { step: 11, count: 10 }],
    [0, 3, 60, { step: 1, count: 3 }],
    [5, 5, 60, { step: 1, count: 0 }],
    [9, 5, 60, { step: 1, count: 0 }],
  ])(
    'divide the period evenly: from %i to %i, with at most %i buckets, the result is %j',
    (from, before, most, expected) => {
      expect(toBuckets(from, before, most)).toMatchObject(expected);
    },
  );
});

describe('the counts of Jobs in the API', () => {
  it('give for each status the number of Jobs, their active pods and the creation time of the oldest Job', async () => {
    const counts = async (filter: JobsFilter) => {
      const rows = await postgres.database.run<{ status: string }>(jobsByStatus(filter, null));
      return rows.toSorted((a, b) => a.status.localeCompare(b.status));
    };
    const at = (minute: number): Date => new Date(START + minute * MINUTE);
    expect(await counts(ALIVE)).toEqual([
      { status: 'Failed', job_count: 199, active: 0, oldest: at(10).toISOString() },
      { status: 'Running', job_count: 1, active: 1, oldest: at(1999).toISOString() },
      { status: 'Succeeded', job_count: 1799, active: 0, oldest: at(1).toISOString() },
    ]);
    expect(await counts({ ...ALIVE, deleted: true, status: ['Failed'] })).toEqual([
      { status: 'Failed', job_count: 200, active: 0, oldest: at(0).toISOString() },
    ]);
  });
});

describe('statuses of Jobs to which two tenants wrote the largest numbers of active pods', () => {
  const LARGEST = 2 ** 31 - 1;
  const update = (text: string, values: unknown[] = []): Promise<unknown> =>
    postgres.database.run({ text: `update jobledger.jobs set active = ${text}`, values });

  beforeAll(() => update(`case when uid in ('uid-1', 'uid-3') then ${LARGEST} else active end`));
  afterAll(() => update(`case when uid in ('uid-1', 'uid-3') then 0 else active end`));

  it('cause no overflow in the counts and in the list of clusters', async () => {
    const { database } = postgres;
    expect(await groups(ALIVE)).toContainEqual({
      value: 'Complete',
      job_count: 1799,
      active: LARGEST,
      message: null,
    });
    expect(await database.run(jobsByStatus(ALIVE, null))).toContainEqual(
      expect.objectContaining({ status: 'Succeeded', active: LARGEST }),
    );
    await database.run({
      text: `insert into jobledger.clusters (name, uid, first_connected_at, last_connected_at, gap_count)
        values ('cluster-0', 'c0', now(), now(), 0), ('cluster-1', 'c1', now(), now(), 0)`,
      values: [],
    });
    expect(await database.run(allClusters())).toMatchObject([
      { name: 'cluster-0', active_pod_count: 0 },
      { name: 'cluster-1', active_pod_count: LARGEST },
    ]);
  });
});

describe('the groups of Jobs in the API', () => {
  it('have one reason for Jobs whose reasons differ only in numbers of pods, and this reason is a filter for these Jobs', async () => {
    const reason = '137 OOMKilled: back-off limit reached';
    const found = await postgres.database.run(jobsByGroup(ALIVE, 'reason', 10, null));
    expect(found).toEqual([{ value: reason, job_count: 199, active: 0, message: null }]);
    expect(await groups({ ...ALIVE, reason })).toEqual([
      { value: 'Failed', job_count: 199, active: 0, message: null },
    ]);
  });

  const group = (value: string, jobs: number, active = 0): GroupRow => ({
    value,
    job_count: jobs,
    active,
    message: null,
  });

  it('are ordered by their counts, the largest first', async () => {
    expect(await groups(ALIVE)).toEqual([
      group('Complete', 1799),
      group('Failed', 199),
      group('Running', 1, 1),
    ]);
  });

  it('contain only matching Jobs, and are at most as many as the caller requests', async () => {
    expect(await groups({ ...ALIVE, labels: { parity: '1' } }, 1)).toEqual([group('Complete', 999)]);
  });

  it('contain only Jobs with an owner when the grouping is by owner', async () => {
    const rows = await postgres.database.run(jobsByGroup(ALIVE, 'owner', 10, null));
    expect(rows).toEqual([group('CronJob/tick', 400, 1), group('Flow/tick', 199)]);
  });

  it('can be limited to the Jobs of one owner, of any kind or of a given kind', async () => {
    expect(await groups({ ...ALIVE, owner: { name: 'tick' } })).toEqual([
      group('Complete', 399),
      group('Failed', 199),
      group('Running', 1, 1),
    ]);
    expect(await groups({ ...ALIVE, owner: { kind: 'Flow', name: 'tick' } })).toEqual([group('Failed', 199)]);
  });
});
