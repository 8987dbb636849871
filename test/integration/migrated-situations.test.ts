import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { foldSituation } from '../../services/projector/projections/job-situations.ts';
import { projectAll } from '../../services/projector/projections/project.ts';
import { emptyRows } from '../../services/projector/projections/rows.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { migrate } from '../../services/projector/migrate.ts';
import { repairSituations } from '../../services/projector/passed-over-situations.ts';
import { upsert } from '../../services/projector/statements.ts';
import { JOBS, type JobRow } from '../../services/read-model/tables/jobs.ts';
import { NO_PODS } from '../../services/read-model/tables/pod-summary.ts';
import { PODS, type PodRow } from '../../services/read-model/tables/pods.ts';
import { aJob, after, aPod, commandReceived, jobObserved, podObserved } from '../projector/builders.ts';
import {
  aProjector,
  emptied,
  MIGRATIONS,
  recordsOf,
  startPostgres,
  TOPIC,
  type RealPostgres,
} from '../projector/real-postgres.ts';

/** The rows of an earlier version have none of these. */
const ADDED = [
  'suspend_requested_by',
  'suspend_requested_at',
  'pod_summary',
  'state',
  'waits_for',
  'waits_until',
  'reason',
];

let postgres: RealPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres?.close(), 60_000);

async function goBack(): Promise<void> {
  const dropped = ADDED.map((column) => `drop column ${column}`).join(', ');
  await postgres.database.run({
    text: `alter table jobledger.jobs drop column member, ${dropped}`,
    values: [],
  });
  await postgres.database.run(
    sql`alter table jobledger.positions drop column situations_offset, drop column kafka_cluster, drop column begins_at`,
  );
  await postgres.database.run(sql`drop function jobledger.cluster_as_of`);
  await postgres.database.run(sql`drop table jobledger.placements cascade`);
  await postgres.database.run(sql`delete from jobledger.migrations where name >= '0022'`);
}

/** The named columns of the Jobs, by UID. */
function columnsNow(names: readonly string[]): Promise<unknown[]> {
  const columns = names.map((name) => `'${name}', ${name}`).join(', ');
  return postgres.database.run({
    text: `select uid, jsonb_build_object(${columns}) as row from jobledger.jobs order by uid`,
    values: [],
  });
}

const oneOf = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

const condition = fc.record({
  type: oneOf('Failed', 'FailureTarget', 'Suspended'),
  status: oneOf('True', 'False'),
  reason: oneOf('', 'BackoffLimitExceeded', 'DeadlineExceeded', 'FailedIndexes', 'PodFailurePolicy', 'Mine'),
  lastTransitionTime: oneOf('2026-04-01T00:00:10Z', '2026-04-01T00:30:00Z'),
});

const waiting = oneOf(
  { waiting_rule: null, waiting_words: null },
  {
    waiting_rule: 'J-3.2',
    waiting_words:
      'no CreatePods before X: 1 error of the API, the last: pods "a-b" is forbidden: exceeded quota: q, the last: x',
  },
  {
    waiting_rule: 'J-3.2',
    waiting_words: 'no WriteStatus before X: 2 errors of the API, the last: timeout\nafter 3 s',
  },
  { waiting_rule: 'J-5.40', waiting_words: 'no pod before X: back-off after 1 failure in a row' },
  { waiting_rule: 'J-5.44', waiting_words: 'no pod before X: back-off of index 3' },
  { waiting_rule: 'J-12.6', waiting_words: 'suspended until Job a succeeds' },
  { waiting_rule: 'J-12.6', waiting_words: 'the Job waits for itself: a → a' },
  { waiting_rule: 'J-6.39', waiting_words: 'the Job ends when its terminating pods are gone' },
);

const jobFields = fc.record({
  status: oneOf('Running', 'Complete', 'Failed', 'Suspended', 'Terminating'),
  claimed: oneOf(true, true, true, false),
  managed_by: oneOf(null, 'kubernetes.io/job-controller', 'example.com/x'),
  suspend: oneOf(false, false, true),
  succeeded: oneOf(0, 2),
  deleted_at: oneOf(null, null, after(90)),
  started_at: oneOf(null, after(1)),
  conditions: fc.array(condition, { maxLength: 2 }),
  waiting,
  look_again_at: oneOf(null, after(99)),
});

const podFields = fc.record({
  phase: oneOf(null, 'Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'),
  reason: oneOf(null, '', 'Unschedulable', 'ContainerCreating', 'ErrImagePull', 'CrashLoopBackOff'),
  message: oneOf(
    null,
    '[redacted]',
    'no "x-pod-0-data" found',
    '0/3 nodes are available: 1 Insufficient cpu. preemption: 0/3 nodes are available.',
    `1/3 nodes are available: ${'y'.repeat(300)}.`,
    '0/3 nodes are available: 1 a. 2 b.',
    'executable file not found in $PATH',
  ),
  why_ended: oneOf(
    null,
    'Succeeded',
    'exit code 3 (Error)',
    'exit code 137 (OOMKilled)',
    'exit code 128 (StartError)',
    'exit code 1',
    'exit code 2 (Other)',
    'evicted: low on memory',
    'disrupted (PreemptionByScheduler): gone',
    'deleted by Jobledger: surplus',
    'deleted with its Job',
    'deleted by somebody else',
    'DeadlineExceeded: too long',
    'gone while nobody watched',
  ),
  deleted_at: oneOf(null, null, null, after(80)),
});

/** The rows of a Job with a pod. */
function usualRows(): [JobRow, PodRow] {
  const rows = emptyRows();
  projectAll(rows, [jobObserved(1, aJob({ version: 5 })), podObserved(2, aPod({ name: 'x', version: 6 }))]);
  return [[...rows.jobs.changed.values()][0] as JobRow, [...rows.pods.changed.values()][0] as PodRow];
}

/** Random Jobs with their pods, as rows. */
function randomRows(jobs: number): { job: JobRow; pods: PodRow[] }[] {
  const arbitrary = fc.tuple(jobFields, fc.array(podFields, { maxLength: 6 }));
  const [usualJob, usualPod] = usualRows();
  return fc
    .sample(arbitrary, { numRuns: jobs, seed: 37 })
    .map(([{ waiting: decided, ...fields }, all], at) => {
      const uid = `job-${at}`;
      const pods = all.map((pod, ordinal) => ({
        ...usualPod,
        ...pod,
        job_uid: uid,
        uid: `${uid}-${ordinal}`,
        name: `x-pod-${ordinal}`,
      }));
      const job = { ...usualJob, pod_summary: NO_PODS, ...fields, ...decided, uid };
      return { job: foldSituation({ job, rows: emptyRows() }, job, pods), pods };
    });
}

describe('the tables of an earlier version, migrated', () => {
  it('have the states, waits and reasons that the projector gives Jobs and pods of every kind', async () => {
    const { database } = postgres;
    await emptied(database);
    const all = randomRows(2000);
    await database.run(
      upsert(
        JOBS,
        all.map(({ job }) => job),
      ),
    );
    await database.run(
      upsert(
        PODS,
        all.flatMap(({ pods }) => pods),
      ),
    );
    const projected = await columnsNow(ADDED);
    await goBack();
    await migrate(database, MIGRATIONS);
    expect(await columnsNow(ADDED)).toEqual(projected);
  }, 60_000);

  it('have what events tell: why a pod has no node, and who asked for a suspension', async () => {
    const { database } = postgres;
    await emptied(database);
    const message = '0/1 nodes are available: 1 Insufficient cpu.';
    const unscheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    const pod = aPod({ name: 'pi-a', version: 7, phase: 'Pending', status: { conditions: [unscheduled] } });
    const managedBy = 'jobledger.dev/job-controller';
    const created = jobObserved(1, aJob({ version: 5, spec: { managedBy } }));
    await aProjector(database).project(
      recordsOf([created, podObserved(2, pod), commandReceived(3, 'suspend', 'ann')]),
    );
    const columns = [...ADDED, 'uid'];
    const projected = await columnsNow(columns);
    expect(projected).toEqual([
      {
        uid: 'job-1',
        row: expect.objectContaining({
          waits_for: '0 of 1 nodes fit: 1 Insufficient cpu',
          suspend_requested_by: 'ann',
        }),
      },
    ]);
    await database.run(sql`update jobledger.pods set reason = null, message = null`);
    await goBack();
    await migrate(database, MIGRATIONS);
    expect(await columnsNow(columns)).toEqual(projected);
  }, 60_000);

  it('get them for what an earlier projector applies after the migration, and once', async () => {
    const { database } = postgres;
    await emptied(database);
    const unscheduled = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: 'no room',
    };
    const pending = aPod({
      name: 'pi-a',
      version: 7,
      phase: 'Pending',
      status: { conditions: [unscheduled] },
    });
    const managedBy = 'jobledger.dev/job-controller';
    const events = [
      jobObserved(1, aJob({ version: 5, spec: { managedBy } })),
      podObserved(2, pending),
      commandReceived(3, 'suspend', 'ann'),
      jobObserved(4, aJob({ version: 9, spec: { managedBy } })),
    ];
    const projector = aProjector(database);
    await projector.project(recordsOf(events));
    const columns = [...ADDED, 'uid'];
    const projected = await columnsNow(columns);
    const repairs: unknown[] = [];
    const log = silentLog();
    log.info = (fields: unknown) => void repairs.push(fields);
    const repair = (): Promise<void> => repairSituations({ database, topic: TOPIC }, log);
    await repair();
    expect(repairs).toEqual([]);
    // As an earlier version leaves the rows of events that it applies.
    await database.run(sql`update jobledger.pods set reason = null, message = null`);
    await database.run(
      sql`update jobledger.jobs set suspend_requested_by = null, suspend_requested_at = null, waits_for = null, waits_until = null, reason = null, state = 'Retrying', pod_summary = '{"running": 3, "failed": {}, "waiting": {}}'`,
    );
    await database.run(sql`update jobledger.positions set situations_offset = 1`);
    await repair();
    expect(await columnsNow(columns)).toEqual(projected);
    await repair();
    expect(repairs).toEqual([expect.objectContaining({ from: '1', to: '4', jobs: 1 })]);
  }, 60_000);
});
