import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Database } from '../../services/adapters/postgres/database.ts';
import { RefusedStatementError } from '../../services/adapters/postgres/failures.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { removeEndedJobs, storeHorizon } from '../../services/projector/horizon/remove-ended.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { anAuditedRequest } from '../history/an-audited-request.ts';
import { after, aJob, JOB_UID, jobObserved } from '../projector/builders.ts';
import {
  aProjector,
  emptied,
  toRecords,
  rowsIn,
  startPostgres,
  TABLES,
  type RealPostgres,
} from '../projector/real-postgres.ts';
import { aStory } from '../projector/story.ts';

jest.setTimeout(120_000);

/** This Job begins before the story and is never deleted; another Job had its name before. */
const OPEN = jobObserved(0, aJob({ version: 2, metadata: { uid: 'open', name: 'slow' } }), 'open');
/** The Job of the story waits for another one before it begins. */
const WAITING = jobObserved(
  0,
  aJob({ version: 4, spec: { suspend: true }, metadata: { annotations: { 'jobledger.dev/after': 'slow' } } }),
);
const RECORDS = toRecords([OPEN, WAITING, ...aStory()]);
/** The story ends 92 seconds after its start; nothing happens afterwards. */
const [LAST, BEHIND] = [after(92), after(93)];

let postgres: RealPostgres;
let database: Database;

beforeAll(async () => {
  postgres = await startPostgres();
  database = postgres.database;
});
afterAll(() => postgres.close());
beforeEach(async () => {
  await emptied(database);
  await aProjector(database).project(RECORDS);
});

/** Returns the Jobs that have rows in each table. */
async function jobsIn(): Promise<Record<string, string[]>> {
  const rows = await rowsIn(database);
  const tableUids = (table: string): string[] => [
    ...new Set(
      (rows[table] as { job_uid?: string; uid?: string }[]).map((row) => row.job_uid ?? row.uid ?? '-'),
    ),
  ];
  const tables = TABLES.filter(
    (table) =>
      !['clusters', 'gaps', 'applied_prices', 'node_versions', 'event_ids'].includes(table) &&
      !table.startsWith('cron_job'),
  );
  return Object.fromEntries(tables.map((table) => [table, tableUids(table).toSorted()]));
}

async function idsLeft(): Promise<string[]> {
  const rows = await database.run<{ id: string }>(sql`select id from jobledger.event_ids order by id`);
  return rows.map(({ id }) => id);
}

async function refusal(statement: string): Promise<string> {
  const error = await database.run({ text: statement, values: [] }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof RefusedStatementError ? error.code : String(error);
}

async function uids(statement: string): Promise<string[]> {
  const rows = await database.run<{ uid: string }>({ text: statement, values: [] });
  return rows.map(({ uid }) => uid);
}

describe('a Job that ended before the horizon', () => {
  it('is removed from every table with the ids of its events, while an older Job that is open stays', async () => {
    expect((await jobsIn())['chains']).toEqual([JOB_UID]);
    await storeHorizon(database, BEHIND);
    expect(await removeEndedJobs(database)).toBe(1);
    expect(await jobsIn()).toEqual({
      jobs: ['open'],
      job_statuses: ['open'],
      pods: [],
      creations: [],
      conditions: [],
      decisions: [],
      commands: [],
      api_requests: [],
      chains: [],
      placements: [],
      events: ['-', 'open'],
    });
    const gap: JobEvent['type'] = 'cluster.gap';
    const gaps = aStory().filter(({ type }) => type === gap);
    expect(await idsLeft()).toEqual([OPEN, ...gaps].map(({ id }) => id).toSorted());
  });

  it('is also removed when only audited requests about its pods are recorded', async () => {
    const [early, late] = [after(10), LAST].map((receivedAt) =>
      anAuditedRequest(
        { ...OPEN, data: { cluster: 'east', jobUid: `nobody-${receivedAt}` } as JobEvent['data'] },
        { resource: 'pods', uid: 'pod-x', auditId: receivedAt, receivedAt },
      ),
    );
    const requests = [early, late].filter((event) => event !== undefined);
    await emptied(database);
    await aProjector(database).project(toRecords([OPEN, ...requests]));
    await storeHorizon(database, after(50));
    await removeEndedJobs(database);
    expect((await jobsIn())['api_requests']).toEqual([`nobody-${LAST}`]);
    expect(await idsLeft()).not.toContain(early?.id);
    expect(await idsLeft()).toContain(late?.id);
  });

  it('stays when it has a later event', async () => {
    const before = await rowsIn(database);
    await storeHorizon(database, LAST);
    expect(await removeEndedJobs(database)).toBe(0);
    expect(await rowsIn(database)).toEqual(before);
  });

  it('is removed in the same way after the ledger was folded again into empty tables, in small batches', async () => {
    await storeHorizon(database, BEHIND);
    await removeEndedJobs(database);
    const removed = await rowsIn(database);
    await emptied(database);
    await storeHorizon(database, BEHIND);
    const projector = aProjector(database);
    for (const record of RECORDS) {
      await projector.project([record]);
      await removeEndedJobs(database, { batch: 1 });
    }
    expect(projector.deadLetters).toEqual([]);
    expect(await rowsIn(database)).toEqual(removed);
  });
});

describe('the horizon in the tables', () => {
  it('does not become earlier when an earlier horizon is stored', async () => {
    await storeHorizon(database, BEHIND);
    await storeHorizon(database, LAST);
    expect(await database.run(sql`select jobledger.horizon() as horizon`)).toEqual([{ horizon: BEHIND }]);
  });

  it('makes the SQL functions fail for an earlier instant, unless the Job at that instant is still in the tables', async () => {
    const past = after(50);
    expect(await uids(`select uid from jobledger.jobs_as_of('${past}') order by uid`)).toEqual([
      'job-1',
      'open',
    ]);
    expect(await uids(`select uid from jobledger.job_as_of('east', 'default', 'gone', '${past}')`)).toEqual(
      [],
    );
    await storeHorizon(database, BEHIND);
    await removeEndedJobs(database);
    for (const asked of [`jobs_as_of('${past}')`, `job_as_of('east', 'default', 'pi', '${past}')`])
      expect(await refusal(`select uid from jobledger.${asked}`)).toBe('JL001');
    expect(await uids(`select uid from jobledger.job_as_of('east', 'default', 'slow', '${past}')`)).toEqual([
      'open',
    ]);
    expect(await uids(`select uid from jobledger.jobs_as_of('${BEHIND}')`)).toEqual(['open']);
    expect(await uids(`select uid from jobledger.job_as_of('east', 'default', 'pi', '${BEHIND}')`)).toEqual(
      [],
    );
  });

  it('makes the SQL functions fail for an earlier instant also when no Job remains in the tables', async () => {
    await database.run(sql`delete from jobledger.jobs where uid = 'open'`);
    await storeHorizon(database, BEHIND);
    await removeEndedJobs(database);
    expect(await refusal(`select uid from jobledger.jobs_as_of('${after(50)}')`)).toBe('JL001');
  });
});
