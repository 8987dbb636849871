import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Database, Run } from '../../services/adapters/postgres/database.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { createEnsureMonths, dropMonthsBefore, listMonths } from '../../services/projector/months.ts';
import { emptied, startPostgres, type RealPostgres } from '../projector/real-postgres.ts';

jest.setTimeout(120_000);

let postgres: RealPostgres;
let database: Database;

beforeAll(async () => {
  postgres = await startPostgres();
  database = postgres.database;
});
afterAll(() => postgres.close());
beforeEach(() => emptied(database));

const MARCH = [{ id: 'first', time: '2026-03-15T00:00:00Z' }];
const APRIL = [{ id: 'second', time: '2026-04-01T00:00:00Z' }];

/** Runs `work` while another session has an open transaction that has run this statement. */
async function beside<T>(text: string, work: () => Promise<T>): Promise<T> {
  return database.transaction(async (run: Run) => {
    await run(sql`select set_config('application_name', 'a long dashboard', true)`);
    await run({ text, values: [] });
    return work();
  });
}

const months = async (): Promise<string[]> => [...(await listMonths(database.run))].toSorted();
const READS = 'select count(*) from jobledger.events';
/** A concurrent build of an index or a vacuum holds such a lock. */
const KEEPS = 'lock table jobledger.events in share update exclusive mode';
const DASHBOARD = 'a long dashboard';

describe('a month that begins while another client reads the events for a long time', () => {
  it('gets its partition at once, as the next month does, and delays no other readers', async () => {
    const others: number[] = [];
    const ending = new AbortController();
    await beside(READS, async () => {
      const reading = (async () => {
        while (!ending.signal.aborted) {
          const begun = performance.now();
          await database.run({ text: READS, values: [] });
          others.push(performance.now() - begun);
        }
      })();
      await createEnsureMonths(database)(MARCH);
      ending.abort();
      await reading;
      expect(await months()).toEqual(['2026-03-01', '2026-04-01']);
    });
    expect(others.length).toBeGreaterThan(0);
    // A reader would wait for 30 s if the statement of the projector waited for the other client.
    expect(Math.max(...others)).toBeLessThan(15_000);
  });

  it('gets a partition that has all indexes of the table of events, and that contains the rows of the month', async () => {
    await createEnsureMonths(database)(MARCH);
    const [found] = await database.run<{ parents: number; children: number }>(
      sql`select count(distinct i.indexrelid)::int as parents, count(c.inhrelid)::int as children
        from pg_index i left join pg_inherits c on c.inhparent = i.indexrelid
        where i.indrelid = 'jobledger.events'::regclass`,
    );
    expect(found?.parents).toBeGreaterThan(2);
    expect(found?.children).toBe(2 * (found?.parents ?? 0));
    const invalid = sql`select from pg_index where not indisvalid`;
    expect(await database.run(invalid)).toEqual([]);
    await database.run(
      sql`insert into jobledger.events (id, type, type_version, source, subject, cluster, time, kafka_partition, kafka_offset, digest, data)
        values ('a', 't', 1, 's', 's', 'c', '2026-03-31T23:59:59Z', 0, 0, '', '{}'), ('b', 't', 1, 's', 's', 'c', '2026-04-01T00:00:00Z', 0, 1, '', '{}')`,
    );
    expect(
      await database.run(sql`select id, tableoid::regclass::text as name from jobledger.events order by id`),
    ).toEqual([
      { id: 'a', name: 'events_2026_03' },
      { id: 'b', name: 'events_2026_04' },
    ]);
  });
});

describe('a partition of a month that cannot be attached', () => {
  it('causes an error that names the holder of the lock when an event needs it, and is attached when the lock is free', async () => {
    const ensureMonths = createEnsureMonths(database);
    await beside(KEEPS, async () => {
      await expect(ensureMonths(MARCH)).rejects.toThrow(
        /^jobledger\.events_2026_03 cannot be attached to jobledger\.events: it is locked by process \d+ \(a long dashboard, .*ShareUpdateExclusiveLock.*, since \d{4}-/,
      );
    });
    await ensureMonths(MARCH);
    expect(await months()).toEqual(['2026-03-01', '2026-04-01']);
  });

  it('causes only a warning that names the holder of the lock while no event needs it, and is attached by a later attempt', async () => {
    await createEnsureMonths(database)(MARCH);
    const warned: string[] = [];
    const log = { warn: (...of: unknown[]) => void warned.push(JSON.stringify(of)) };
    const ensureMonths = createEnsureMonths(database, { log: log as never, againMs: 0 });
    await beside(KEEPS, () => ensureMonths(APRIL));
    expect(warned).toHaveLength(1);
    expect(warned[0]).toContain(
      `jobledger.events_2026_05 cannot be attached to jobledger.events: it is locked by`,
    );
    expect(warned[0]).toContain(DASHBOARD);
    expect(await months()).toEqual(['2026-03-01', '2026-04-01']);
    await ensureMonths([]);
    expect(await months()).toEqual(['2026-03-01', '2026-04-01', '2026-05-01']);
  });
});

describe('months that the retention should drop while another client reads them', () => {
  it('stay, and the error names the holder of the lock', async () => {
    await createEnsureMonths(database)(MARCH);
    await beside(READS, async () => {
      await expect(dropMonthsBefore(database, '2026-04-01')).rejects.toThrow(
        /^the months of jobledger\.events before 2026-04-01 cannot be dropped: it is locked by process \d+ \(a long dashboard, AccessShareLock/,
      );
    });
    expect(await months()).toEqual(['2026-03-01', '2026-04-01']);
    expect(await database.run(sql`select events_from from jobledger.retention`)).toEqual([
      { events_from: null },
    ]);
  });
});
