import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { jobsAsOf } from '../../services/api/queries/as-of.ts';
import {
  toBuckets,
  jobsByStatus,
  jobsByTime,
  type BucketRow,
} from '../../services/api/queries/job-counts.ts';
import { jobsPage, type JobsFilter } from '../../services/api/queries/jobs.ts';
import { applyBatches } from '../../services/projector/apply.ts';
import { markMembers, markMembersAgain } from '../../services/projector/mark-members.ts';
import { createEnsureMonths } from '../../services/projector/months.ts';
import { allClusters } from '../../services/read-model/queries/clusters.ts';
import type { ClusterView } from '../../services/read-model/views/clusters.ts';
import { findJob } from '../../services/read-model/queries/find-job.ts';
import type { JobView } from '../../services/read-model/views/jobs.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { claimantSeen } from '../projector/member-stream.ts';
import { aPlacedJobStream, member } from '../projector/placed-job-stream.ts';
import { emptied, startPostgres, TOPIC, type RealPostgres } from '../projector/real-postgres.ts';
import { at, START } from '../support/builders.ts';

const ALIVE: JobsFilter = { labels: {}, deleted: false };
/** The two streams are in these partitions, which different projectors read. */
const [HOME, MEMBER] = [0, 1];

let postgres: RealPostgres;
let offsets: Record<number, bigint>;

beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres?.close(), 60_000);

beforeEach(async () => {
  offsets = {};
  await emptied(postgres.database);
});

async function applied(partition: number, events: readonly LedgerEvent[]): Promise<void> {
  await createEnsureMonths(postgres.database)(events);
  const first = offsets[partition] ?? 0n;
  const next = first + BigInt(events.length);
  offsets[partition] = next;
  const positioned = events.map((event, index) => ({
    partition,
    offset: first + BigInt(index),
    event,
    version: 1,
    dataText: null,
  }));
  const batch = { partition, first, next, events: positioned, deadLetters: [] };
  await applyBatches({ database: postgres.database, topic: TOPIC }, [{ batch, known: first }]);
}

/** Returns the stream of a placed Job whose member was created. */
function homeEvents(): LedgerEvent[] {
  const stream = aPlacedJobStream();
  stream.answers(2, { kind: 'CreateMember', result: 'created', member });
  return stream.events;
}

const memberEvents = (): LedgerEvent[] => [
  claimantSeen(2, { name: 'pi', uid: member.uid }),
  claimantSeen(4, { name: 'pi', uid: member.uid, status: { active: 2, ready: 1 } }),
];

const names = async (filter: JobsFilter = ALIVE): Promise<string[]> => {
  const jobs = await postgres.database.run<JobView>(
    jobsPage(filter, { after: null, limit: 10, order: 'name' }, null),
  );
  return jobs.map(({ cluster, name }) => `${cluster}/${name}`).toSorted();
};

const numbers = async (): Promise<number> => {
  const rows = await postgres.database.run<{ job_count: number }>(jobsByStatus(ALIVE, null));
  return rows.reduce((sum, { job_count: count }) => sum + count, 0);
};

describe('a placed Job together with its member', () => {
  it.each<[string, () => Promise<unknown>]>([
    [
      'the home is applied first',
      async () => {
        await applied(HOME, homeEvents());
        await applied(MEMBER, memberEvents());
      },
    ],
    [
      'the member is applied first',
      async () => {
        await applied(MEMBER, memberEvents());
        await applied(HOME, homeEvents());
      },
    ],
    [
      'the member is applied while its creation has no outcome yet',
      async () => {
        const home = homeEvents();
        await applied(HOME, home.slice(0, -1));
        await applied(MEMBER, memberEvents());
        await applied(HOME, home.slice(-1));
      },
    ],
    [
      'two projectors apply them at once',
      () => Promise.all([applied(MEMBER, memberEvents()), applied(HOME, homeEvents())]),
    ],
  ])('is listed and counted as one Job when %s', async (_when, applying) => {
    await applying();
    expect(await names()).toEqual(['east/pi']);
    expect(await numbers()).toBe(1);
    expect(await names({ ...ALIVE, members: true })).toEqual(['east/pi', 'west/pi']);
  });

  it('is one Job in a histogram, and in the list of the Jobs at an instant', async () => {
    await applied(MEMBER, memberEvents());
    await applied(HOME, homeEvents());
    const buckets = toBuckets(START - 60_000, START + 60_000, 1);
    expect(await postgres.database.run<BucketRow>(jobsByTime(ALIVE, buckets, null))).toMatchObject([
      { created: 1 },
    ]);
    const then = await postgres.database.run<JobView>(jobsAsOf(at(10), {}, null, 10, null));
    expect(then.map(({ cluster }) => cluster)).toEqual(['east']);
  });

  it('is still listed as one Job after a further event of the member', async () => {
    await applied(HOME, homeEvents());
    await applied(MEMBER, memberEvents());
    await applied(MEMBER, [claimantSeen(9, { name: 'pi', uid: member.uid, status: { active: 1 } })]);
    expect(await names()).toEqual(['east/pi']);
  });

  it('is found by its name as the placed Job, or together with the cluster of the member as the member', async () => {
    await applied(HOME, homeEvents());
    await applied(MEMBER, memberEvents());
    const { run } = postgres.database;
    expect(await findJob(run, { name: 'pi' })).toMatchObject({
      cluster: 'east',
      member: false,
      placed_in: 'west',
    });
    expect(await findJob(run, { name: 'pi', cluster: 'west' })).toMatchObject({
      uid: member.uid,
      member: true,
      placed_in: null,
    });
  });

  it('counts in the list of clusters as a Job of the home, with its pods in the cluster of the member', async () => {
    await applied(HOME, homeEvents());
    await applied(MEMBER, memberEvents());
    await postgres.database.run(
      sql`insert into jobledger.clusters (name, gap_count) values ('east', 0), ('west', 0) on conflict do nothing`,
    );
    await postgres.database.run(sql`update jobledger.jobs set active = 2 where cluster = 'east'`);
    const clusters = await postgres.database.run<ClusterView>(allClusters());
    expect(clusters).toMatchObject([
      { name: 'east', job_count: 1, active_pod_count: 0, placed_count: 0 },
      { name: 'west', job_count: 0, active_pod_count: 2, placed_count: 1 },
    ]);
  });

  it('is one Job again after a crash of the projector between the two rows, and after a rebuild', async () => {
    await applied(HOME, homeEvents());
    await applied(MEMBER, memberEvents());
    const { run } = postgres.database;
    await run(sql`update jobledger.jobs set member = false`);
    await run(sql`update jobledger.placements set marked_uid = null`);
    expect(await numbers()).toBe(2);
    await markMembers(run);
    expect(await names()).toEqual(['east/pi']);
    await run(sql`update jobledger.jobs set member = not member`);
    await markMembersAgain(run);
    expect(await names()).toEqual(['east/pi']);
  });
});

describe('a replaced member of a placed Job', () => {
  it('no longer counts as a member, in live tables and after a rebuild', async () => {
    const { run } = postgres.database;
    const stream = aPlacedJobStream();
    stream.answers(2, { kind: 'CreateMember', result: 'created', member });
    await applied(HOME, stream.events);
    await applied(MEMBER, memberEvents());
    await markMembers(run);
    const second = { ...member, uid: 'second', resourceVersion: '900' };
    stream.answers(5, { kind: 'CreateMember', result: 'created', member: second });
    await applied(HOME, stream.events.slice(-1));
    await applied(MEMBER, [claimantSeen(6, { name: 'pi', uid: 'second' })]);
    await markMembers(run);
    const members = sql`select uid from jobledger.jobs where member`;
    expect(await run(members)).toEqual([{ uid: 'second' }]);
    await markMembersAgain(run);
    expect(await run(members)).toEqual([{ uid: 'second' }]);
  });
});

describe('a Job that only claims to run a placed Job', () => {
  it('is counted and listed like any other Job', async () => {
    const forged = claimantSeen(3, { name: 'forged', uid: 'forged-uid' });
    await applied(MEMBER, [...memberEvents(), forged]);
    await applied(HOME, homeEvents());
    expect(await names()).toEqual(['east/pi', 'west/forged']);
    expect(await numbers()).toBe(2);
  });

  it('is listed separately although it has the name of the member', async () => {
    await applied(MEMBER, [claimantSeen(3, { name: 'pi', uid: 'forged-uid' })]);
    await applied(HOME, homeEvents());
    expect(await names()).toEqual(['east/pi', 'west/pi']);
  });
});
