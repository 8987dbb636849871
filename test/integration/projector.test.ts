import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { startLocalServers, type LocalServers } from '../../infra/local/servers.ts';
import { encodeEvent } from '../../services/adapters/event-codec.ts';
import type { LedgerRecord } from '../../services/adapters/kafka/subscribe.ts';
import { createLog } from '../../services/adapters/log.ts';
import { openDatabase, type Database } from '../../services/adapters/postgres/database.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { createConsume } from '../../services/projector/consume.ts';
import { migrate } from '../../services/projector/migrate.ts';
import { createEnsureMonths } from '../../services/projector/months.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { aJob, after, aPod, decided, jobDeleted, jobObserved, podObserved } from '../projector/builders.ts';
import { aStory } from '../projector/story.ts';

const TOPIC = 'jobledger.ledger';
const TABLES = ['clusters', 'jobs', 'pods', 'creations', 'conditions', 'event_ids', 'events'];
const MIGRATIONS = join(process.cwd(), 'services/projector/migrations');

jest.setTimeout(120_000);
const log = createLog('test');
log.level = 'silent';

let stateDir: string;
let servers: LocalServers;
let database: Database;

beforeAll(async () => {
  stateDir = mkdtempSync(join(tmpdir(), 'jobledger-projector-'));
  servers = await startLocalServers({ stateDir, postgres: true, say: () => undefined });
  database = openDatabase({ DATABASE_URL: servers.addresses.databaseUrl ?? '' }, log);
});

afterAll(async () => {
  await database.close();
  await servers.stop();
  rmSync(stateDir, { recursive: true, force: true });
});

beforeEach(async () => {
  await database.run(sql`drop schema if exists jobledger cascade`);
  await migrate(database, MIGRATIONS);
});

function recordsOf(events: readonly JobEvent[]): LedgerRecord[] {
  return events.map((event, offset) => {
    const { key, value } = encodeEvent(event);
    return { partition: 0, offset: BigInt(offset), key, value: Buffer.from(value) };
  });
}

interface Projector {
  project: (records: readonly LedgerRecord[]) => Promise<void>;
  setAside: { key: string; reason: string }[];
  fatal: unknown[];
}

/** A projector without Kafka: batches are given to it by hand. */
function aProjector(): Projector {
  const setAside: Projector['setAside'] = [];
  const fatal: unknown[] = [];
  const consume = createConsume({
    ledger: { database, topic: TOPIC },
    appender: {
      write: (_topic, messages) => {
        for (const { key, headers } of messages)
          setAside.push({ key: String(key), reason: String(headers?.['reason']) });
        return Promise.resolve();
      },
    },
    deadLetterTopic: `${TOPIC}.dead-letters`,
    ensureMonths: createEnsureMonths(database),
    log,
    signal: new AbortController().signal,
    onFatal: (error) => fatal.push(error),
  });
  return {
    setAside,
    fatal,
    project: (records) =>
      consume.onBatch({
        partition: 0,
        records: [...records],
        end: BigInt(records.length),
        heartbeat: () => Promise.resolve(),
        isStale: () => false,
      }),
  };
}

async function tables(): Promise<Record<string, unknown>> {
  const all = await Promise.all(
    TABLES.map(async (table) => {
      const rows = await database.run<{ row: unknown }>({
        text: `select to_jsonb(t) as row from jobledger.${table} t order by to_jsonb(t)::text`,
        values: [],
      });
      return [table, rows.map(({ row }) => row)] as const;
    }),
  );
  return Object.fromEntries(all);
}

async function rowsAfter(...batches: LedgerRecord[][]): Promise<Record<string, unknown>> {
  await database.run(sql`drop schema if exists jobledger cascade`);
  await migrate(database, MIGRATIONS);
  const { project } = aProjector();
  for (const batch of batches) await project(batch);
  return tables();
}

describe('a stream that is applied', () => {
  it('in any batches, and any batch again, leaves the same rows', async () => {
    const records = recordsOf(aStory());
    const whole = await rowsAfter(records);
    const batch = fc.record({
      length: fc.integer({ min: 1, max: 6 }),
      again: fc.integer({ min: 0, max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 19, maxLength: 19 }), async (plan) => {
        const batches: LedgerRecord[][] = [];
        let at = 0;
        for (const { length, again } of plan) {
          const from = Math.max(0, at - again);
          batches.push(records.slice(from, at + length));
          at += length;
        }
        expect(await rowsAfter(...batches.filter((each) => each.length > 0))).toEqual(whole);
      }),
      { numRuns: 15 },
    );
  });

  it('again from the beginning, with the position lost, leaves the same rows', async () => {
    const records = recordsOf(aStory());
    const once = await rowsAfter(records);
    await database.run(sql`delete from jobledger.positions`);
    await aProjector().project(records);
    expect(await tables()).toEqual(once);
  });

  it('by two projectors at once leaves the same rows', async () => {
    const records = recordsOf(aStory());
    const once = await rowsAfter(records);
    await database.run(sql`truncate jobledger.positions`);
    for (const table of TABLES) await database.run({ text: `truncate jobledger.${table}`, values: [] });
    const [one, other] = [aProjector(), aProjector()];
    const halves = [records.slice(0, 9), records.slice(9)];
    for (const half of halves) await Promise.all([one.project(half), other.project(half)]);
    expect(await tables()).toEqual(once);
    await one.project(records.slice(0, 3));
    const positions = await database.run(sql`select next_offset from jobledger.positions`);
    expect(positions).toEqual([{ next_offset: String(records.length) }]);
  });

  it('keeps one row of a repeat, at its first time', async () => {
    await rowsAfter(recordsOf(aStory()));
    const rows = await database.run(
      sql`select id, count(*)::int as n, min(time) as time from jobledger.events where id like '%jobs/job-1/5' group by id`,
    );
    expect(rows).toEqual([{ id: 'east/jobs/job-1/5', n: 1, time: after(1) }]);
  });
});

describe('the views', () => {
  beforeEach(() => aProjector().project(recordsOf(aStory())));

  it('mark the decision that no later one names', async () => {
    const rows = await database.run(
      sql`select id, superseded from jobledger.decisions order by kafka_offset`,
    );
    expect(rows).toEqual([
      { id: 'decision-1', superseded: false },
      { id: 'decision-2a', superseded: true },
      { id: 'decision-2b', superseded: false },
      { id: 'decision-3', superseded: false },
    ]);
  });

  it('join commands with their outcomes', async () => {
    const rows = await database.run(
      sql`select number, kind, rule, pods, answered_at is not null as answered from jobledger.commands order by number`,
    );
    expect(rows).toEqual([
      { number: 1, kind: 'CreatePods', rule: 'J-5.12', pods: 1, answered: true },
      { number: 3, kind: 'CreatePods', rule: 'J-5.12', pods: 1, answered: true },
    ]);
  });

  it('show gaps and phases', async () => {
    expect(await database.run(sql`select cluster, resource, gap_from, gap_to from jobledger.gaps`)).toEqual([
      { cluster: 'east', resource: 'pods', gap_from: after(80), gap_to: after(90) },
    ]);
    expect(
      await database.run(
        sql`select attempts, extract(epoch from until_first_pod)::int as wait from jobledger.job_phases`,
      ),
    ).toEqual([{ attempts: 2, wait: 2 }]);
  });

  it('say of each pod why it was created and why it ended', async () => {
    const rows = await database.run(
      sql`select name, why_created, why_ended, created_by from jobledger.pods order by name`,
    );
    expect(rows).toEqual([
      {
        name: 'pi-a',
        why_created: '1 of 1 pods is missing',
        why_ended: 'exit code 3 (Error)',
        created_by: 'decision-1',
      },
      {
        name: 'pi-b',
        why_created: '1 of 1 pods is missing',
        why_ended: 'Succeeded',
        created_by: 'decision-3',
      },
    ]);
  });
});

describe('two decisions of one number that no other names yet', () => {
  it('the later one counts', async () => {
    const events = [decided(1, 1, { id: 'a' }), decided(2, 1, { id: 'b' })];
    await aProjector().project(recordsOf(events));
    const rows = await database.run(sql`select id, superseded from jobledger.decisions order by id`);
    expect(rows).toEqual([
      { id: 'a', superseded: true },
      { id: 'b', superseded: false },
    ]);
  });
});

describe('the status as of an instant', () => {
  beforeEach(() => aProjector().project(recordsOf(aStory())));

  const statusAt = async (seconds: number): Promise<unknown> => {
    const rows = await database.run(
      sql`select status, active, succeeded, deleted from jobledger.job_as_of('east', 'default', 'pi', ${after(seconds)})`,
    );
    return rows[0];
  };

  it('is what had been seen by then', async () => {
    expect(await statusAt(0)).toBeUndefined();
    expect(await statusAt(1)).toEqual({ status: 'Running', active: 0, succeeded: 0, deleted: false });
    expect(await statusAt(70)).toEqual({ status: 'Running', active: 1, succeeded: 0, deleted: false });
    expect(await statusAt(71)).toEqual({ status: 'Complete', active: 0, succeeded: 1, deleted: false });
    expect(await statusAt(73)).toEqual({ status: 'Complete', active: 0, succeeded: 1, deleted: false });
    expect(await statusAt(92)).toEqual({ status: 'Complete', active: 0, succeeded: 1, deleted: true });
  });

  it('of all Jobs leaves out what did not exist then', async () => {
    const namesAt = async (seconds: number): Promise<unknown> =>
      (
        await database.run<{ name: string }>(sql`select name from jobledger.jobs_as_of(${after(seconds)})`)
      ).map(({ name }) => name);
    expect(await namesAt(0)).toEqual([]);
    expect(await namesAt(50)).toEqual(['pi']);
    expect(await namesAt(92)).toEqual([]);
  });

  it('agrees with the present', async () => {
    const rows = await database.run(
      sql`select j.status = s.status as same from jobledger.jobs j, jobledger.job_seen(j.cluster, j.uid, now() + interval '100 years') s`,
    );
    expect(rows).toEqual([{ same: true }]);
  });
});

describe('records that cannot be used', () => {
  it('are set aside with the reason, and stop nothing', async () => {
    const [first, second, third] = recordsOf([
      jobObserved(1, aJob({ version: 1 })),
      jobObserved(2, aJob({ version: 2, spec: { parallelism: 99_999_999_999 } })),
      podObserved(3, aPod({ name: 'pi-a', version: 3, status: { message: 'a\u0000b' } })),
    ]);
    const notJson = { partition: 0, offset: 3n, key: 'k', value: Buffer.from('{') };
    const last = { ...recordsOf([jobDeleted({ at: 9, version: 9 })])[0], offset: 4n } as LedgerRecord;
    const projector = aProjector();
    await projector.project([first, second, third, notJson, last] as LedgerRecord[]);
    expect([...new Set(projector.setAside.map(({ reason }) => reason))].toSorted()).toEqual([
      expect.stringContaining('it cannot be projected: Postgres refused a statement'),
      'the record is not JSON',
    ]);
    expect(projector.fatal).toEqual([]);
    const letters = await database.run(sql`select kafka_offset, key from jobledger.dead_letters order by 1`);
    expect(letters).toEqual([
      { kafka_offset: '1', key: 'east/job-1' },
      { kafka_offset: '3', key: 'k' },
    ]);
    const jobs = await database.run(sql`select parallelism, deleted_at from jobledger.jobs`);
    expect(jobs).toEqual([{ parallelism: 1, deleted_at: after(9) }]);
    expect(await database.run(sql`select message from jobledger.pods`)).toEqual([{ message: 'a\ufffdb' }]);
  });
});

describe('Postgres that goes away', () => {
  it('is waited for; nothing is lost and nothing is twice', async () => {
    const records = recordsOf(aStory());
    const whole = await rowsAfter(records);
    await database.run(sql`drop schema jobledger cascade`);
    await migrate(database, MIGRATIONS);
    const projector = aProjector();
    await projector.project(records.slice(0, 5));
    await servers.kill('postgres');
    await projector.project(records.slice(5));
    expect(projector.fatal).toEqual([]);
    expect(await tables()).toEqual(whole);
  });

  it('and comes back emptied stops the projector, which must begin again', async () => {
    const records = recordsOf(aStory());
    const projector = aProjector();
    await projector.project(records.slice(0, 5));
    await database.run(sql`delete from jobledger.positions`);
    await expect(projector.project(records.slice(5))).rejects.toThrow('went back from 5 to 0');
    expect(projector.fatal).toHaveLength(1);
  });
});

describe('the schema', () => {
  it('is made once, however many make it at a time', async () => {
    await database.run(sql`drop schema jobledger cascade`);
    const made = await Promise.all([1, 2, 3].map(() => migrate(database, MIGRATIONS)));
    expect(made.filter((each) => each.length > 0)).toHaveLength(1);
  });

  it('of another version is refused', async () => {
    await database.run(sql`insert into jobledger.migrations (name, digest) values ('9999-later.sql', 'x')`);
    await expect(migrate(database, MIGRATIONS)).rejects.toThrow(
      'another version of Jobledger (9999-later.sql)',
    );
  });

  it('describes every table, view, function and column', async () => {
    await aProjector().project(recordsOf(aStory()));
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
});
