import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Database } from '../../services/adapters/postgres/database.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { migrate } from '../../services/projector/migrate.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { aJob, after, decided, jobDeleted, jobObserved } from '../projector/builders.ts';
import {
  aProjector,
  emptied,
  MIGRATIONS,
  toRecords,
  startPostgres,
  type RealPostgres,
} from '../projector/real-postgres.ts';
import { aStory } from '../projector/story.ts';
import { readSqlPage } from '../support/sql-page.ts';

jest.setTimeout(120_000);

let postgres: RealPostgres;
let database: Database;

beforeAll(async () => {
  postgres = await startPostgres();
  database = postgres.database;
});
afterAll(() => postgres.close());
beforeEach(() => emptied(database));

async function statusAt(seconds: number): Promise<unknown> {
  const rows = await database.run(
    sql`select kubectl_status, active, succeeded, deleted from jobledger.job_as_of('east', 'default', 'pi', ${after(seconds)})`,
  );
  return rows[0];
}

async function namesAt(seconds: number): Promise<string[]> {
  const rows = await database.run<{ name: string }>(
    sql`select name from jobledger.jobs_as_of(${after(seconds)})`,
  );
  return rows.map(({ name }) => name);
}

describe('the tables and views of the SQL contract', () => {
  beforeEach(() => aProjector(database).project(toRecords(aStory())));

  it('mark a decision as superseded when the next decision does not continue from it', async () => {
    const rows = await database.run(sql`select id, superseded from jobledger.decisions order by recorded_at`);
    expect(rows).toEqual([
      { id: 'decision-1', superseded: false },
      { id: 'decision-2a', superseded: true },
      { id: 'decision-2b', superseded: false },
      { id: 'decision-3', superseded: false },
    ]);
  });

  it('show each command with its outcome', async () => {
    const rows = await database.run(
      sql`select decision_number, kind, rule, pod_count, outcome_at is not null as answered from jobledger.commands order by decision_number`,
    );
    expect(rows).toEqual([
      { decision_number: 1, kind: 'CreatePods', rule: 'J-5.12', pod_count: 1, answered: true },
      { decision_number: 3, kind: 'CreatePods', rule: 'J-5.12', pod_count: 1, answered: true },
    ]);
  });

  it('show the gaps of a cluster, and the attempts and durations of a Job', async () => {
    expect(await database.run(sql`select cluster, resource, since, until from jobledger.gaps`)).toEqual([
      { cluster: 'east', resource: 'pods', since: after(80), until: after(90) },
    ]);
    expect(
      await database.run(
        sql`select attempt_count, extract(epoch from until_first_pod)::int as wait, extract(epoch from total)::int as total from jobledger.job_phases`,
      ),
    ).toEqual([{ attempt_count: 2, wait: 2, total: 120 }]);
  });

  it('show for each pod why it was created and why it ended', async () => {
    const rows = await database.run(
      sql`select name, creation_message, end_message, creation_decision from jobledger.pods order by name`,
    );
    expect(rows).toEqual([
      {
        name: 'pi-a',
        creation_message: '1 of 1 pods is missing',
        end_message: 'exit code 3 (Error)',
        creation_decision: 'decision-1',
      },
      {
        name: 'pi-b',
        creation_message: '1 of 1 pods is missing',
        end_message: 'Succeeded',
        creation_decision: 'decision-3',
      },
    ]);
  });
});

describe('two last decisions with the same number', () => {
  it('are one superseded decision and one valid decision, which is the later one', async () => {
    const events = [decided(1, 1, { id: 'a' }), decided(2, 1, { id: 'b' })];
    await aProjector(database).project(toRecords(events));
    const rows = await database.run(sql`select id, superseded from jobledger.decisions order by id`);
    expect(rows).toEqual([
      { id: 'a', superseded: true },
      { id: 'b', superseded: false },
    ]);
  });
});

describe('the SQL functions for the status at an instant', () => {
  beforeEach(() => aProjector(database).project(toRecords(aStory())));

  it('return the status that had been observed by then', async () => {
    expect(await statusAt(0)).toBeUndefined();
    expect(await statusAt(1)).toEqual({ kubectl_status: 'Running', active: 0, succeeded: 0, deleted: false });
    expect(await statusAt(70)).toEqual({
      kubectl_status: 'Running',
      active: 1,
      succeeded: 0,
      deleted: false,
    });
    expect(await statusAt(71)).toEqual({
      kubectl_status: 'Complete',
      active: 0,
      succeeded: 1,
      deleted: false,
    });
    expect(await statusAt(73)).toEqual({
      kubectl_status: 'Complete',
      active: 0,
      succeeded: 1,
      deleted: false,
    });
    expect(await statusAt(92)).toEqual({
      kubectl_status: 'Complete',
      active: 0,
      succeeded: 1,
      deleted: true,
    });
  });

  it('return no row for a Job that was never seen, another cluster, or a missing instant', async () => {
    const asked = [
      sql`select from jobledger.job_as_of('east', 'default', 'no-such-job', now())`,
      sql`select from jobledger.job_as_of('west', 'default', 'pi', now())`,
      sql`select from jobledger.job_as_of('east', 'default', 'pi', null)`,
      sql`select from jobledger.job_seen('east', 'no-such-uid', now())`,
    ];
    for (const statement of asked) expect(await database.run(statement)).toEqual([]);
  });

  it('reject an invalid instant', async () => {
    const nonsense = sql`select from jobledger.jobs_as_of(${'last night'})`;
    await expect(database.run(nonsense)).rejects.toThrow('SQLSTATE 22007');
  });

  it('omit Jobs that did not exist at the instant', async () => {
    expect(await namesAt(0)).toEqual([]);
    expect(await namesAt(50)).toEqual(['pi']);
    expect(await namesAt(92)).toEqual([]);
  });

  it('return for the present the status in the table of Jobs', async () => {
    const rows = await database.run(
      sql`select j.kubectl_status = s.kubectl_status as same from jobledger.jobs j, jobledger.job_seen(j.cluster, j.uid, now() + interval '100 years') s`,
    );
    expect(rows).toEqual([{ same: true }]);
  });
});

describe('a Job that was deleted and created again under its name', () => {
  const other = { uid: 'job-2', creationTimestamp: after(20) };
  const again = (version: number, status = {}): Job => aJob({ version, status, metadata: other });

  beforeEach(() =>
    aProjector(database).project(
      toRecords([
        jobObserved(1, aJob({ version: 5, status: { failed: 1 } })),
        jobDeleted({ at: 10, version: 6 }),
        jobObserved(20, again(7), 'job-2'),
        jobObserved(30, again(8, { active: 1 }), 'job-2'),
      ]),
    ),
  );

  it('is found by name as the Job that existed at the instant, or else as the Job before that instant', async () => {
    const uids = [];
    for (const seconds of [0, 5, 15, 25, 35]) {
      const rows = await database.run<{ uid: string }>(
        sql`select uid, active, deleted from jobledger.job_as_of('east', 'default', 'pi', ${after(seconds)})`,
      );
      uids.push(rows[0]);
    }
    expect(uids).toEqual([
      undefined,
      { uid: 'job-1', active: 0, deleted: false },
      { uid: 'job-1', active: 0, deleted: true },
      { uid: 'job-2', active: 0, deleted: false },
      { uid: 'job-2', active: 1, deleted: false },
    ]);
  });

  it('has two rows in jobs, and one row among all Jobs at an instant', async () => {
    expect(await database.run(sql`select uid from jobledger.jobs order by uid`)).toHaveLength(2);
    expect(await namesAt(35)).toEqual(['pi']);
  });
});

describe('the database schema in Postgres', () => {
  it('is created once when several processes create it together', async () => {
    await database.run(sql`drop schema jobledger cascade`);
    const made = await Promise.all([1, 2, 3].map(() => migrate(database, MIGRATIONS)));
    expect(made.filter((each) => each.length > 0)).toHaveLength(1);
  });

  it('has a description for every table, view, function and column', async () => {
    await aProjector(database).project(toRecords(aStory()));
    const silent = await database.run(sql`
      select c.relname || coalesce('.' || a.attname, '') as what
      from pg_class c
      left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not c.relispartition
      where c.relnamespace = 'jobledger'::regnamespace and c.relkind in ('r', 'p', 'v')
        and (col_description(c.oid, coalesce(a.attnum, 0)) is null or obj_description(c.oid, 'pg_class') is null)
        and not c.relispartition
      union all
      select p.proname from pg_proc p
      where p.pronamespace = 'jobledger'::regnamespace and obj_description(p.oid, 'pg_proc') is null`);
    expect(silent).toEqual([]);
  });

  it('is described by docs/sql.md', async () => {
    const rows = await database.run<{ name: string }>(sql`
      select relname as name from pg_class
      where relnamespace = 'jobledger'::regnamespace and relkind in ('r', 'p', 'v') and not relispartition
      union all
      select proname from pg_proc where pronamespace = 'jobledger'::regnamespace`);
    // test/docs/columns.test.ts compares the tables of columns.
    const { text } = readSqlPage();
    const documented = [...text.matchAll(/^\| `(\w+)/gm)].map(([, name = '']) => name);
    expect(rows.map(({ name }) => name).toSorted()).toEqual(documented.toSorted());
  });
});
