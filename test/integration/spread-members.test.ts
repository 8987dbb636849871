import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { jobsAsOf } from '../../services/api/queries/as-of.ts';
import { jobsByStatus } from '../../services/api/queries/job-counts.ts';
import { jobsPage } from '../../services/api/queries/jobs.ts';
import { allClusters, placedJobsIn } from '../../services/read-model/queries/clusters.ts';
import type { ClusterView, PlacedView } from '../../services/read-model/views/clusters.ts';
import { findJob } from '../../services/read-model/queries/find-job.ts';
import { readPlacements } from '../../services/read-model/queries/placements.ts';
import { aSpreadLife } from '../projector/a-spread-life.ts';
import {
  aProjector,
  emptied,
  toRecords,
  startPostgres,
  type RealPostgres,
} from '../projector/real-postgres.ts';
import { at } from '../support/builders.ts';

let postgres: RealPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
  await emptied(postgres.database);
  await postgres.database.run(
    sql`insert into jobledger.clusters (name, gap_count) values ('east', 0), ('north', 0), ('west', 0)`,
  );
  const { project, fatal } = aProjector(postgres.database);
  await project(toRecords(aSpreadLife().events));
  if (fatal.length > 0) throw new Error(`the projector cannot use the events: ${JSON.stringify(fatal)}`);
  // The home writes the number of active pods of all members.
  await postgres.database.run(sql`update jobledger.jobs set active = 3 where cluster = 'east'`);
}, 120_000);
afterAll(() => postgres?.close(), 60_000);

const instant = (after: number): string => new Date(at(after)).toISOString();
const membersAt = (after: number | null) =>
  readPlacements(
    postgres.database.run,
    { cluster: 'east', uid: 'home-uid' },
    after === null ? null : at(after),
  );

describe('a Job that is spread over two clusters', () => {
  it('is one Job in lists and counts, and in the list of the Jobs at an instant', async () => {
    const { run } = postgres.database;
    const all = { labels: {}, deleted: false };
    const listed = await run(jobsPage(all, { after: null, limit: 10, order: 'name' }, null));
    expect(listed).toMatchObject([{ cluster: 'east', name: 'pi' }]);
    expect(await run(jobsByStatus(all, null))).toMatchObject([{ job_count: 1 }]);
    expect(await run(jobsAsOf(at(10), {}, null, 10, null))).toMatchObject([{ cluster: 'east' }]);
  });

  it('counts once in its home, and its pods count in the clusters where they run', async () => {
    expect(await postgres.database.run<ClusterView>(allClusters())).toMatchObject([
      { name: 'east', job_count: 1, unfinished_count: 1, active_pod_count: 0, placed_count: 0 },
      { name: 'north', job_count: 0, active_pod_count: 2, placed_count: 1 },
      { name: 'west', job_count: 0, active_pod_count: 1, placed_count: 1 },
    ]);
  });

  it('shows the clusters in which it runs', async () => {
    expect(await findJob(postgres.database.run, { name: 'pi' })).toMatchObject({ placed_in: 'north, west' });
  });

  it('has a row for each member, with the present and former indexes of the member and its pods', async () => {
    expect(await membersAt(null)).toMatchObject([
      {
        grant_number: 1,
        placed_in: 'west',
        member_name: 'pi',
        kubectl_status: 'Running',
        active: 1,
        succeeded: 0,
        failed: 0,
        current_indexes: '0,1',
        granted: [
          { indexes: '0,1', since: instant(0), until: null },
          { indexes: '2,3', since: instant(0), until: instant(40) },
        ],
      },
      {
        grant_number: 2,
        placed_in: 'north',
        member_name: 'pi-m2',
        kubectl_status: 'Running',
        active: 2,
        indexes: '4',
        current_indexes: '2-5',
        granted: [
          { indexes: '4,5', since: instant(2), until: null },
          { indexes: '2,3', since: instant(41), until: null },
        ],
      },
    ]);
  });

  it('shows, for an instant, the members that were known at that instant', async () => {
    expect(await membersAt(1)).toMatchObject([{ placed_in: 'west', current_indexes: '0-3', active: 0 }]);
    expect(await membersAt(10)).toMatchObject([
      {
        placed_in: 'west',
        current_indexes: '0-3',
        granted: [{ indexes: '0,1' }, { indexes: '2,3', until: null }],
        active: 1,
      },
      { placed_in: 'north', current_indexes: '4,5', active: 1, succeeded: 0, indexes: null },
    ]);
    expect(await membersAt(40)).toMatchObject([
      { current_indexes: '0,1', granted: [{ indexes: '0,1' }, { indexes: '2,3', until: instant(40) }] },
      { current_indexes: '4,5', active: 1, succeeded: 1, indexes: '4' },
    ]);
  });

  it('has no present indexes in a cluster whose grant has ended, and still shows the former indexes there', async () => {
    const { run } = postgres.database;
    await run(
      sql`update jobledger.placements set ended_at = ${at(60)}, end_reason = 'stopped' where grant_number = 1`,
    );
    expect((await membersAt(null))[0]).toMatchObject({
      current_indexes: '',
      granted: [{ until: instant(60) }, { until: instant(40) }],
      end_reason: 'stopped',
    });
    expect((await membersAt(59))[0]).toMatchObject({
      current_indexes: '0,1',
      ended_at: null,
      end_reason: null,
    });
    await run(sql`update jobledger.placements set ended_at = null, end_reason = null where grant_number = 1`);
  });

  it('is in the list of placed Jobs of each cluster in which it has pods', async () => {
    const left = (cluster: string) =>
      postgres.database.run<PlacedView>(placedJobsIn(cluster, { limit: null }));
    expect(await left('west')).toMatchObject([{ member_name: 'pi', pod_count: 1, index_count: 1 }]);
    expect(await left('north')).toMatchObject([{ member_name: 'pi-m2', pod_count: 2, index_count: 2 }]);
  });
});
