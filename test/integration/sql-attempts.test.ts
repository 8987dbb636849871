import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Database } from '../../services/adapters/postgres/database.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { storeTeams } from '../../services/projector/teams.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import {
  aJob,
  after,
  anEndedPod,
  aPod,
  decided,
  deletePods,
  jobObserved,
  podDeleted,
  podObserved,
  clusterGap,
} from '../projector/builders.ts';
import { eventsOfLives, jobOfLives, randomLives } from '../projector/pod-lives.ts';
import { aGrowingLedger, emptied, startPostgres, type RealPostgres } from '../projector/real-postgres.ts';

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

describe('the view attempts', () => {
  it('has exactly the hours that an independent sum over the recorded instants has', async () => {
    const lives = randomLives(120);
    await project(eventsOfLives(lives));
    const rows = await database.run<Record<string, string>>(
      sql`select pod_uid, held_seconds, held_seconds_at_least, ran_seconds, negative_spans, ran_until is not null as has_end,
          round(cpu_core_hours * 3600, 6)::float as core_seconds, round(memory_gib_hours * 3600, 6)::float as gib_seconds,
          round(gpu_hours * 3600, 6)::float as gpu_seconds, round(cpu_core_hours_at_least * 3600, 6)::float as core_seconds_at_least
        from jobledger.attempts where held_until is not null`,
    );
    const expected = lives
      .filter(({ isOpen }) => !isOpen)
      .map(({ uid, periods, ranSeconds, negativeSpans }) => ({
        pod_uid: uid,
        held_seconds: String(sum(periods, ({ from, until }) => until - from)),
        held_seconds_at_least: String(sum(periods, ({ from, atLeast }) => Math.max(0, atLeast - from))),
        ran_seconds: ranSeconds === null ? expect.anything() : String(ranSeconds),
        has_end: ranSeconds !== null,
        negative_spans: negativeSpans,
        core_seconds: sum(periods, ({ from, until, cores }) => cores * (until - from)),
        gib_seconds: sum(periods, ({ from, until, bytes }) => (bytes / 2 ** 30) * (until - from)),
        gpu_seconds: sum(periods, ({ from, until, gpus }) => gpus * (until - from)),
        core_seconds_at_least: sum(
          periods,
          ({ from, atLeast, cores }) => cores * Math.max(0, atLeast - from),
        ),
      }));
    const byUid = (a: { pod_uid?: unknown }, b: { pod_uid?: unknown }): number =>
      String(a.pod_uid) < String(b.pod_uid) ? -1 : 1;
    expect(rows.toSorted(byUid)).toEqual(expected.toSorted(byUid));
  });

  it('knows that a pod whose deletion was missed existed until the last gap before', async () => {
    const bound = { type: 'PodScheduled', status: 'True', lastTransitionTime: after(10) };
    await project([
      jobOfLives('job-1'),
      podObserved(11, aPod({ name: 'a', version: 1, status: { conditions: [bound] } })),
      podDeleted(7000, { name: 'a', version: 2, seen: false }),
      clusterGap(6000, 6900),
    ]);
    expect(
      await database.run(
        sql`select held_from, held_until, held_until_at_least, held_seconds, held_seconds_at_least from jobledger.attempts`,
      ),
    ).toEqual([
      {
        held_from: after(10),
        held_until: after(7000),
        held_until_at_least: after(6000),
        held_seconds: '6990',
        held_seconds_at_least: '5990',
      },
    ]);
  });
});

describe('the team of a Job', () => {
  const teams = [{ cluster: '*', namespace: 'default', teams: ['search', 'growth'] }];

  async function teamAfter(labels: Record<string, string>, label = 'team'): Promise<unknown> {
    await storeTeams(database, teams, label);
    await project([jobOfLives('job-1', labels), podObserved(11, aPod({ name: 'a', version: 1 }))]);
    const [row] = await database.run<{ team: string }>(sql`select team from jobledger.attempts`);
    return row?.team;
  }

  it('is named by its label when the label names a team of the namespace', async () => {
    expect(await teamAfter({ team: 'growth' })).toBe('growth');
  });

  it('is the first team of the namespace when the label names another team, or is missing', async () => {
    expect(await teamAfter({ team: 'payments' })).toBe('search');
    await emptied(database);
    project = aGrowingLedger(database);
    expect(await teamAfter({})).toBe('search');
  });

  it('is named by the label of the setting', async () => {
    expect(await teamAfter({ team: 'search', 'example.com/team': 'growth' }, 'example.com/team')).toBe(
      'growth',
    );
  });

  it('is the namespace when the namespace has no teams', async () => {
    await storeTeams(database, teams, 'team');
    await storeTeams(database, [], 'team');
    await project([
      jobOfLives('job-1', { team: 'growth' }),
      podObserved(11, aPod({ name: 'a', version: 1 })),
    ]);
    expect(await database.run(sql`select team, series from jobledger.attempts`)).toEqual([
      { team: 'default', series: 'load' },
    ]);
  });
});

describe('the cause of waste', () => {
  const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: after(3) };

  async function causeAfter(...events: JobEvent[]): Promise<string> {
    await project([jobOfLives('job-1'), ...events]);
    const rows = await database.run<{ cause: string }>(
      sql`select concat_ws('/', wasted_by, waste_cause) as cause from jobledger.attempts order by held_until desc, pod_uid desc`,
    );
    return rows[0]?.cause ?? '';
  }

  function failedPod(name: string, status: object): JobEvent {
    return podObserved(
      20,
      aPod({ name, version: 5, phase: 'Failed', status: { conditions: [scheduled], ...status } }),
    );
  }

  const disrupted = (reason: string) => ({
    conditions: [scheduled, { type: 'DisruptionTarget', status: 'True', reason }],
  });

  it.each([
    ['program/ExitCode', anEndedPod({ name: 'a', version: 5, exitCode: 3, endedAt: 19 })],
    ['absent for a pod that succeeded', anEndedPod({ name: 'a', version: 5, exitCode: 0, endedAt: 19 })],
    [
      'platform/Preempted',
      aPod({ name: 'a', version: 5, phase: 'Failed', status: disrupted('PreemptionByScheduler') }),
    ],
    [
      'platform/NodeLost',
      aPod({ name: 'a', version: 5, phase: 'Failed', status: disrupted('DeletionByTaintManager') }),
    ],
    [
      'operator/Drained',
      aPod({ name: 'a', version: 5, phase: 'Failed', status: disrupted('EvictionByEvictionAPI') }),
    ],
    ['platform/Evicted', aPod({ name: 'a', version: 5, phase: 'Failed', status: { reason: 'Evicted' } })],
    [
      'policy/DeadlineExceeded',
      aPod({ name: 'a', version: 5, phase: 'Failed', status: { reason: 'DeadlineExceeded' } }),
    ],
    ['platform/NoExitCode', aPod({ name: 'a', version: 5, phase: 'Failed', status: { reason: 'OutOfcpu' } })],
  ])('is %s', async (cause, pod) => {
    expect(await causeAfter(podObserved(20, pod))).toBe(cause.startsWith('absent') ? '' : cause);
  });

  it('is the memory of the program for a container that was killed for it', async () => {
    const state = { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: after(19) } };
    expect(await causeAfter(failedPod('a', { containerStatuses: [{ name: 'main', state }] }))).toBe(
      'program/OOMKilled',
    );
  });

  it('is the image of a pod that never ran, whoever deleted it', async () => {
    const state = { waiting: { reason: 'ImagePullBackOff' } };
    const waiting = aPod({
      name: 'a',
      version: 5,
      phase: 'Pending',
      status: { conditions: [scheduled], containerStatuses: [{ name: 'main', state: state as never }] },
    });
    expect(await causeAfter(podObserved(20, waiting), podDeleted(30, { name: 'a', version: 6 }))).toBe(
      'platform/ImageNotPulled',
    );
  });

  it.each([
    ['operator/Suspended', 'J-6.41'],
    ['operator/ScaledDown', 'J-5.12'],
    ['policy/DeadlineExceeded', 'J-6.5'],
    ['policy/PodFailurePolicy', 'J-6.10'],
    ['policy/SuccessPolicy', 'J-6.31'],
    ['repetition/IndexNotMissing', 'J-5.30'],
  ] as const)('is %s for a pod that Jobledger deleted by rule %s', async (cause, rule) => {
    const deletion = { ...deletePods('a reason', 'a'), why: { rule, message: 'a reason' } };
    expect(
      await causeAfter(
        podObserved(20, aPod({ name: 'a', version: 5 })),
        decided(21, 1, { commands: [deletion as never] }),
        podDeleted(25, { name: 'a', version: 6 }),
      ),
    ).toBe(cause);
  });

  it('is the condition of the Job when the Job ended while the pod ran', async () => {
    const deletion = { ...deletePods('the limit', 'a'), why: { rule: 'J-6.1', message: 'the limit' } };
    const failed = { type: 'FailureTarget', status: 'True', reason: 'BackoffLimitExceeded' };
    expect(
      await causeAfter(
        podObserved(20, aPod({ name: 'a', version: 5 })),
        decided(21, 1, { commands: [deletion as never] }),
        podDeleted(25, { name: 'a', version: 6 }),
        jobObserved(26, aJob({ version: 9, status: { conditions: [failed] } })),
      ),
    ).toBe('policy/BackoffLimitExceeded');
  });

  it('is the deletion of the Job, of the pod, or unknown', async () => {
    const pod = aPod({ name: 'a', version: 5 });
    const leaving = aPod({ name: 'a', version: 6, metadata: { deletionTimestamp: after(22) } });
    expect(
      await causeAfter(
        podObserved(20, pod),
        podObserved(22, leaving),
        podDeleted(25, { name: 'a', version: 7 }),
      ),
    ).toBe('operator/PodDeleted');
    expect(
      await causeAfter(
        podObserved(20, { ...pod, metadata: { ...pod.metadata, name: 'b', uid: 'uid-b' } }),
        podDeleted(30, { name: 'b', version: 6, seen: false }),
      ),
    ).toBe('unknown/NotObserved');
  });

  it('is the repetition for a second success of an index, whichever is recorded first', async () => {
    const labels = { 'batch.kubernetes.io/job-completion-index': '4' };
    const pod = (name: string, endedAt: number) =>
      podObserved(
        50,
        anEndedPod({ name, version: 5, exitCode: 0, endedAt, metadata: { labels, annotations: labels } }),
      );
    await project([jobOfLives('job-1'), pod('late', 40), pod('early', 30)]);
    expect(await database.run(sql`select pod, waste_cause from jobledger.attempts order by pod`)).toEqual([
      { pod: 'early', waste_cause: null },
      { pod: 'late', waste_cause: 'DoneAgain' },
    ]);
  });
});

function sum<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0);
}
