import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Database } from '../../services/adapters/postgres/database.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { pause } from '../../services/adapters/waiting/pause.ts';
import { watchesIn } from '../../services/live-topic/watches.ts';
import { storeWatches } from '../../services/projector/keep-watches.ts';
import { countStaleUsage } from '../../services/projector/keep-usage.ts';
import { storeTeams } from '../../services/projector/teams.ts';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import type { ClusterDetached } from '../../workflows/ledger/detachment.ts';
import {
  aJob,
  after,
  anEndedPod,
  aPod,
  CLUSTER,
  clusterConnected,
  clusterGap,
  decided,
  deletePods,
  jobObserved,
  podDeleted,
  podObserved,
  START,
} from '../projector/builders.ts';
import { eventsOfLives, jobOfLives, randomLives, toJob, type PodLife } from '../projector/pod-lives.ts';
import { aGrowingLedger, emptied, startPostgres, type RealPostgres } from '../projector/real-postgres.ts';

/** The watches of a cluster of which nothing was received. */
const NO_WATCHES = watchesIn([]);

jest.setTimeout(120_000);

let postgres: RealPostgres;
let database: Database;
let project: ReturnType<typeof aGrowingLedger>;

beforeAll(async () => {
  postgres = await startPostgres();
  database = postgres.database;
});
afterAll(() => postgres.close());
beforeEach(async () => {
  await emptied(database);
  project = aGrowingLedger(database);
});

/** The hours of closed lives in the tables, by hour in seconds after the start, and exact. */
async function hoursInSql(view: string): Promise<Record<string, number[]>> {
  const rows = await database.run<{ hour: string; amounts: number[] }>({
    text: `select hour, array[sum(pod_hours), sum(cpu_core_hours), sum(memory_gib_hours), sum(gpu_hours), sum(cpu_core_hours_at_least)]::float[] as amounts
      from jobledger.${view} group by hour`,
    values: [],
  });
  return Object.fromEntries(rows.map(({ hour, amounts }) => [hour, amounts.map(rounded)]));
}

function rounded(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}

/** The independent sum over the recorded instants, by hour. */
function hoursOf(lives: readonly PodLife[]): Record<string, number[]> {
  const hours: Record<string, number[]> = {};
  for (const { from, until, atLeast, cores, bytes, gpus } of lives.flatMap(({ periods }) => periods))
    for (let second = from; second < until; second += 1) {
      const hour = new Date(Math.floor((START + second * 1000) / 3_600_000) * 3_600_000).toISOString();
      const amounts = (hours[hour] ??= [0, 0, 0, 0, 0]);
      const added = [1, cores, bytes / 2 ** 30, gpus, second < atLeast ? cores : 0];
      added.forEach((amount, place) => {
        amounts[place] = (amounts[place] ?? 0) + amount;
      });
    }
  return Object.fromEntries(
    Object.entries(hours).map(([hour, amounts]) => [hour, amounts.map((each) => rounded(each / 3600))]),
  );
}

describe('the view usage_hourly', () => {
  it('equals the independent sum before, while and after the projector counts, also after late facts', async () => {
    const lives = randomLives(90).filter(({ isOpen }) => !isOpen);
    const events = eventsOfLives(lives);
    const half = Math.floor(events.length / 2);
    await project(events.slice(0, half));
    await countStaleUsage(database);
    await project(events.slice(half));
    // Some of the pods were open at the half, and hours that were counted have changed.
    expect(await hoursInSql('usage_hourly')).toEqual(hoursOf(lives));
    await countStaleUsage(database);
    expect(await database.run(sql`select from jobledger.stale_usage`)).toEqual([]);
    expect(await hoursInSql('usage_hourly')).toEqual(hoursOf(lives));
  });

  it('has the same rows when each batch is counted at once and when all are counted at the end', async () => {
    const events = eventsOfLives(randomLives(60).filter(({ isOpen }) => !isOpen));
    const rows = () =>
      database.run(sql`select to_jsonb(u) as row from jobledger.ended_usage u order by to_jsonb(u)::text`);
    for (let at = 0; at < events.length; at += 25) {
      await project(events.slice(at, at + 25));
      await countStaleUsage(database);
    }
    const oneByOne = await rows();
    await emptied(database);
    project = aGrowingLedger(database);
    await project(events);
    await countStaleUsage(database);
    expect(oneByOne.length).toBeGreaterThan(50);
    expect(await rows()).toEqual(oneByOne);
  });

  it('has no hour of a pod that was never bound to a node, whether it waits or was deleted', async () => {
    const unbound = (name: string, version: number): JobEvent => {
      const pod = aPod({ name, version, phase: 'Pending', status: {} });
      return podObserved(1, { ...pod, spec: { containers: [] } });
    };
    const deletion = podDeleted(90, { name: 'gone', version: 4 });
    await project([jobOfLives('job-1'), unbound('waiting', 2), unbound('gone', 3), deletion]);
    await countStaleUsage(database);
    expect(await database.run(sql`select pod_uid from jobledger.attempts order by pod_uid`)).toHaveLength(2);
    expect(await database.run(sql`select from jobledger.attempt_hours`)).toEqual([]);
    expect(await database.run(sql`select from jobledger.usage_hourly`)).toEqual([]);
  });

  it('adds a pod that holds its node now, up to now', async () => {
    const bound = new Date(Math.floor(Date.now() / 1000) * 1000 - 90 * 60_000);
    const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: bound.toISOString() };
    await project([
      jobOfLives('job-1'),
      podObserved(11, aPod({ name: 'a', version: 1, status: { conditions: [scheduled] } })),
    ]);
    const [row] = await database.run<{ hours: number }>(
      sql`select sum(pod_hours)::float as hours from jobledger.usage_hourly`,
    );
    expect(row?.hours).toBeGreaterThanOrEqual(1.5);
    expect(row?.hours).toBeLessThan(1.6);
  });

  it('counts an open pod as uncertain since the pods of its cluster were last received, if that is more than five minutes ago', async () => {
    const bound = new Date(Math.floor(Date.now() / 1000) * 1000 - 90 * 60_000);
    const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: bound.toISOString() };
    await project([
      jobOfLives('job-1'),
      podObserved(11, aPod({ name: 'a', version: 1, status: { conditions: [scheduled] } })),
    ]);
    const minutes = async (
      podsReceivedAt: number | null,
    ): Promise<{ held: number; sure: number; hours: number[] }> => {
      const received = podsReceivedAt === null ? null : new Date(podsReceivedAt).toISOString();
      await storeWatches(database.run, new Map([[CLUSTER, { ...NO_WATCHES, podsReceivedAt: received }]]));
      const [row] = await database.run<{ held: number; sure: number; hours: number[] }>(
        sql`select a.held_seconds::float / 60 as held, a.held_seconds_at_least::float / 60 as sure,
              (select array[sum(u.pod_hours)::float, sum(u.pod_hours_at_least)::float] from jobledger.usage_hourly u) as hours
            from jobledger.attempts a`,
      );
      if (row === undefined) throw new Error('the attempt has a row');
      return row;
    };
    for (const received of [null, Date.now(), Date.now() - 4 * 60_000]) {
      const { held, sure } = await minutes(received);
      expect(sure).toBe(held);
      expect(held).toBeGreaterThanOrEqual(90);
    }
    const silent = await minutes(bound.getTime() + 30 * 60_000);
    expect(silent).toMatchObject({ sure: 30 });
    expect(silent.held).toBeGreaterThanOrEqual(90);
    expect(silent.hours[1]).toBeCloseTo(0.5, 5);
    expect(silent.hours[0]).toBeGreaterThanOrEqual(1.5);
    // The pod may have been bound after the last message about another pod of the cluster.
    expect(await minutes(bound.getTime() - 60_000)).toMatchObject({ sure: 0 });
  });

  it('adds an open pod of a detached cluster up to the detachment, and up to now when the cluster is connected again', async () => {
    const bound = after(0);
    const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: bound };
    const detached = (at: number, namespaces?: string[]): JobEvent =>
      withDigest<ClusterDetached>({
        id: `detached/${at}`,
        type: 'cluster.detached',
        source: `jobledger/${CLUSTER}`,
        subject: CLUSTER,
        time: after(at),
        data: {
          cluster: CLUSTER,
          detachment: `${at}`,
          by: 'ann',
          claim: 'managed',
          ...(namespaces !== undefined && { namespaces }),
          jobCount: 1,
          podCount: 1,
          runningPodCount: 1,
          uncountedPodCount: 0,
          orphanCount: 0,
          openJobCount: 1,
          cronJobCount: 0,
          placedJobCount: 0,
        },
      });
    const hours = async (): Promise<number> => {
      const [row] = await database.run<{ hours: number; held: number }>(
        sql`select (select sum(pod_hours) from jobledger.usage_hourly)::float as hours,
          (select sum(held_seconds) from jobledger.attempts)::float / 3600 as held`,
      );
      expect(row?.held).toBeCloseTo(row?.hours ?? 0, 2);
      return row?.hours ?? 0;
    };
    await project([
      jobOfLives('job-1'),
      podObserved(11, aPod({ name: 'a', version: 1, status: { conditions: [scheduled] } })),
      detached(3600, ['another']),
    ]);
    const untilNow = (Date.now() - Date.parse(bound)) / 3_600_000;
    expect(await hours()).toBeCloseTo(untilNow, 1);
    await project([detached(7200)]);
    expect(await hours()).toBe(2);
    await project([clusterConnected(9000)]);
    expect(await hours()).toBeCloseTo(untilNow, 1);
  });

  it.each([
    [
      'a pod that another writer changes',
      `update jobledger.pods set held_until = held_until + interval '3 hours'`,
    ],
    ['a pod that is removed', `delete from jobledger.pods`],
    ['the series of a Job', `update jobledger.jobs set series = 'other-series'`],
    [
      'the team of a namespace',
      `insert into jobledger.namespace_teams values ('*', 'default', '{growth}', 'team')`,
    ],
  ])('follows %s after it was counted', async (_what, change) => {
    await project(eventsOfLives(randomLives(20).filter(({ isOpen }) => !isOpen)));
    await countStaleUsage(database);
    await database.run({ text: change, values: [] });
    const rows = () =>
      database.run(
        sql`select team, series, hour, round(sum(pod_hours), 6) as hours from jobledger.usage_hourly group by 1, 2, 3 order by 1, 2, 3`,
      );
    const seen = await rows();
    await countStaleUsage(database);
    expect(await rows()).toEqual(seen);
    const counted = await database.run(
      sql`select team, series, hour, round(sum(held) / 3600, 6) as hours from jobledger.attempt_hours group by 1, 2, 3 order by 1, 2, 3`,
    );
    expect(seen).toEqual(counted);
  });

  it('follows teams that are stored while an hour is counted', async () => {
    await project(eventsOfLives(randomLives(20).filter(({ isOpen }) => !isOpen)));
    let stored: Promise<void> | undefined;
    await countStaleUsage({
      run: database.run,
      transaction: (work) =>
        database.transaction(async (run) => {
          const result = await work(run);
          stored ??= storeTeams(
            database,
            [{ cluster: '*', namespace: 'default', teams: ['growth'] }],
            'team',
          );
          await pause(100, new AbortController().signal);
          return result;
        }),
    });
    await stored;
    await countStaleUsage(database);
    expect(await database.run(sql`select distinct team from jobledger.usage_hourly`)).toEqual([
      { team: 'growth' },
    ]);
  });

  it('follows the reason of a Job that fails while it is deleted', async () => {
    const job = (version: number, more: object) => jobObserved(version, aJob({ version, ...more }));
    const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: after(10) };
    await project([
      job(1, {}),
      podObserved(20, aPod({ name: 'a', version: 2, status: { conditions: [scheduled] } })),
      decided(200, 1, { commands: [deletePods('the Job fails', 'a')] }),
      podDeleted(250, { name: 'a', version: 6 }),
    ]);
    const causes = () => database.run(sql`select distinct waste_cause from jobledger.usage_hourly`);
    await countStaleUsage(database);
    expect(await causes()).toEqual([{ waste_cause: 'JobEnded' }]);
    const failing = {
      type: 'FailureTarget',
      status: 'True',
      reason: 'BackoffLimitExceeded',
      lastTransitionTime: after(300),
    };
    await project([
      job(7, { status: { conditions: [failing] }, metadata: { deletionTimestamp: after(290) } }),
    ]);
    expect(await causes()).toEqual([{ waste_cause: 'BackoffLimitExceeded' }]);
  });

  it('counts the other hours when one hour cannot be counted', async () => {
    await project(eventsOfLives(randomLives(20).filter(({ isOpen }) => !isOpen)));
    const stale = sql`select distinct hour from jobledger.stale_usage order by hour desc`;
    const [newest, ...others] = await database.run<{ hour: string }>(stale);
    const transaction: Database['transaction'] = (work) =>
      database.transaction((run) =>
        work((statement) =>
          statement.text.includes('usage_ended_in') && statement.values.includes(newest?.hour)
            ? Promise.reject(new Error('too slow'))
            : run(statement),
        ),
      );
    await expect(countStaleUsage({ run: database.run, transaction })).rejects.toThrow('too slow');
    expect(others.length).toBeGreaterThan(2);
    expect(await database.run(stale)).toEqual([newest]);
  });

  it('counts the series of a namespace beyond the first hundred as other', async () => {
    const events = Array.from({ length: 120 }, (_, number) => {
      const uid = `job-${number}`;
      const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: after(90) };
      const ended = anEndedPod({ name: `p${number}`, version: 1, exitCode: 0, endedAt: 100 + number });
      const pod = { ...ended, status: { ...ended.status, conditions: [scheduled] } };
      const job = aJob({
        version: 1,
        metadata: { uid, name: `series-${String.fromCodePoint(97 + (number % 26))}${number}` },
      });
      return [jobObserved(0, job, uid), toJob(podObserved(300, pod), uid)];
    });
    await project(events.flat());
    const rows = await database.run<{ series: string; seconds: string }>(
      sql`select series, round(sum(pod_hours) * 3600) as seconds from jobledger.usage_hourly group by series order by 2 desc`,
    );
    expect(rows).toHaveLength(101);
    // The twenty shortest: 10 to 29 seconds.
    expect(rows.find(({ series }) => series === 'other')).toEqual({ series: 'other', seconds: '390' });
  });

  it('has each wasted hour in the view waste, with the cause that attempts has', async () => {
    await project(eventsOfLives(randomLives(60).filter(({ isOpen }) => !isOpen)));
    await countStaleUsage(database);
    const wasted = await database.run(
      sql`select wasted_by, waste_cause, round(sum(cpu_core_hours), 6) as hours from jobledger.waste group by 1, 2 order by 1, 2`,
    );
    const caused = await database.run(
      sql`select wasted_by, waste_cause, round(sum(cpu_core_hours), 6) as hours from jobledger.attempts
        where wasted_by is not null and held_seconds > 0 group by 1, 2 order by 1, 2`,
    );
    expect(wasted.length).toBeGreaterThan(1);
    expect(wasted).toEqual(caused);
  });

  it('shows which share of an hour was watched', async () => {
    const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: after(60) };
    const ended = anEndedPod({ name: 'a', version: 1, exitCode: 0, endedAt: 7000 });
    await project([
      jobOfLives('job-1'),
      podObserved(7001, { ...ended, status: { ...ended.status, conditions: [scheduled] } }),
      clusterGap(60 + 600, 60 + 1500),
      clusterGap(60 + 900, 60 + 2400),
    ]);
    // The story begins a minute before an hour, and the gaps overlap.
    expect(await database.run(sql`select watched::float from jobledger.usage_hourly order by hour`)).toEqual([
      { watched: 0.5 },
      { watched: 1 },
    ]);
  });
});
