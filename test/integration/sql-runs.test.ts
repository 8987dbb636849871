import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Database } from '../../services/adapters/postgres/database.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { markMembers } from '../../services/projector/mark-members.ts';
import { storeTeams } from '../../services/projector/teams.ts';
import type { JobSpec, JobStatus } from '../../workflows/kubernetes/objects.ts';
import {
  aJob,
  after,
  anEndedPod,
  aPod,
  jobDeleted,
  jobObserved,
  podObserved,
} from '../projector/builders.ts';
import { claimantSeen } from '../projector/member-stream.ts';
import { aPlacedJobStream, member } from '../projector/placed-job-stream.ts';
import { toJob } from '../projector/pod-lives.ts';
import { aGrowingLedger, emptied, startPostgres, type RealPostgres } from '../projector/real-postgres.ts';
import { at } from '../support/builders.ts';

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

function seen(time: number, version: number, status: JobStatus = {}, spec: JobSpec = {}) {
  return jobObserved(
    time,
    aJob({ version, status, spec: { managedBy: 'jobledger.dev/job-controller', ...spec } }),
  );
}

const started = { containerStatuses: [{ name: 'main', state: { running: { startedAt: after(12) } } }] };

/** A placed Job of the cluster east, its member in the cluster west, and a pod of the member. */
async function projectPlacedJob(): Promise<void> {
  const stream = aPlacedJobStream();
  stream.answers(2, { kind: 'CreateMember', result: 'created', member });
  const pod = aPod({
    name: 'pi-x',
    version: 7,
    metadata: { creationTimestamp: new Date(at(9)).toISOString() },
    status: {
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: at(10) }],
      containerStatuses: [{ name: 'main', state: { running: { startedAt: at(30) } } }],
    },
  });
  const ofMember = claimantSeen(3, { name: 'pi', uid: member.uid });
  await project([...stream.events, ofMember, toJob(podObserved(40, pod), member.uid, 'west')]);
  await markMembers(database.run);
}

describe('the view job_runs', () => {
  it('has the wait of a Job until its first container ran, and the cause of its failure without numbers', async () => {
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'BackoffLimitExceeded',
      lastTransitionTime: after(60),
    };
    await project([
      seen(0, 1),
      podObserved(13, aPod({ name: 'a', version: 2, status: started })),
      podObserved(31, anEndedPod({ name: 'a', version: 3, exitCode: 3, endedAt: 30 })),
      podObserved(41, anEndedPod({ name: 'b', version: 4, exitCode: 3, endedAt: 40 })),
      seen(61, 9, { failed: 2, conditions: [failed] }),
    ]);
    expect(
      await database.run(
        sql`select job_name, team, series, status, extract(epoch from waited)::integer as waited, extract(epoch from took)::integer as took,
          attempts, failed_attempts, cause, placed_in from jobledger.job_runs`,
      ),
    ).toEqual([
      {
        job_name: 'pi',
        team: 'default',
        series: 'pi',
        status: 'Failed',
        waited: 12,
        took: 60,
        attempts: 2,
        failed_attempts: 2,
        cause: 'exit code 3',
        placed_in: 'east',
      },
    ]);
  });

  it('has a placed Job once, with the attempts of its member and for the team of its home', async () => {
    await storeTeams(database, [{ cluster: 'east', namespace: 'default', teams: ['maths'] }], 'team');
    await projectPlacedJob();
    expect(
      await database.run(
        sql`select cluster, job_uid, team, attempts, first_container_started_at, placed_in from jobledger.job_runs`,
      ),
    ).toEqual([
      {
        cluster: 'east',
        job_uid: 'home-uid',
        team: 'maths',
        attempts: 1,
        first_container_started_at: new Date(at(30)).toISOString(),
        placed_in: 'west',
      },
    ]);
    expect(
      await database.run(sql`select cluster, home, home_job_uid, team, held_from from jobledger.attempts`),
    ).toEqual([
      {
        cluster: 'west',
        home: 'east',
        home_job_uid: 'home-uid',
        team: 'maths',
        held_from: new Date(at(10)).toISOString(),
      },
    ]);
  });
});

describe('the view waiting_now', () => {
  async function waits(): Promise<unknown[]> {
    return database.run(sql`select job_name, status, waiting_for, waiting_since from jobledger.waiting_now`);
  }

  it('has a suspended Job since its suspension', async () => {
    const suspended = { type: 'Suspended', status: 'True', lastTransitionTime: after(5) };
    await project([seen(6, 1, { conditions: [suspended] }, { suspend: true })]);
    expect(await waits()).toEqual([
      { job_name: 'pi', status: 'Suspended', waiting_for: 'to be resumed', waiting_since: after(5) },
    ]);
  });

  it('has a suspended Job since its creation when nobody can read the time of its suspension', async () => {
    const suspended = { type: 'Suspended', status: 'True', lastTransitionTime: 'yesterday' };
    await project([seen(6, 1, { conditions: [suspended] }, { suspend: true })]);
    expect(await waits()).toMatchObject([{ job_name: 'pi', status: 'Suspended', waiting_since: after(0) }]);
  });

  it('has a Job whose pod has no node since the creation of the pod', async () => {
    const scheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no node' };
    const pod = aPod({ name: 'a', version: 2, phase: 'Pending', status: { conditions: [scheduled] } });
    await project([seen(0, 1), podObserved(3, pod)]);
    expect(await waits()).toMatchObject([{ job_name: 'pi', status: 'Pending', waiting_since: after(2) }]);
  });

  it('has no Job that runs, has ended or is deleted', async () => {
    await project([seen(0, 1), podObserved(13, aPod({ name: 'a', version: 2, status: started }))]);
    expect(await waits()).toEqual([]);
    const complete = { type: 'Complete', status: 'True', lastTransitionTime: after(60) };
    await project([seen(61, 9, { succeeded: 1, conditions: [complete] }, { ttlSecondsAfterFinished: 1000 })]);
    expect(await waits()).toEqual([]);
    await project([jobDeleted({ at: 70, version: 10 })]);
    expect(await waits()).toEqual([]);
  });
});
