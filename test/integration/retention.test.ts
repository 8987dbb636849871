import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Database } from '../../services/adapters/postgres/database.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { dropMonthsBefore, listMonths } from '../../services/projector/months.ts';
import {
  aProjector,
  emptied,
  toRecords,
  rowsIn,
  startPostgres,
  type RealPostgres,
} from '../projector/real-postgres.ts';
import { aStory } from '../projector/story.ts';

jest.setTimeout(120_000);

/** The records begin in the last minute of March. All events but one are of April, and later months have only repeats. */
const RECORDS = toRecords(aStory());

let postgres: RealPostgres;
let database: Database;

beforeAll(async () => {
  postgres = await startPostgres();
  database = postgres.database;
});
afterAll(() => postgres.close());
beforeEach(() => emptied(database));

/** Returns the rows of every table except the events, as they are when nothing was dropped. */
async function foldedWithoutRetention(): Promise<Record<string, unknown>> {
  await aProjector(database).project(RECORDS);
  const { events: _events, ...others } = await rowsIn(database);
  await emptied(database);
  return others;
}

async function monthsBefore(month: string): Promise<string[]> {
  return [...(await listMonths(database.run))].filter((each) => each < month).toSorted();
}

describe('a projector that has not applied the events of dropped months', () => {
  it('applies these events to the other tables, creates no dead letter, and does not create the months again', async () => {
    const whole = await foldedWithoutRetention();
    const projector = aProjector(database);
    await projector.project(RECORDS.slice(0, 3));
    expect(await dropMonthsBefore(database, '2026-05-01')).toEqual(['2026-03-01', '2026-04-01']);
    await projector.project(RECORDS.slice(3));
    expect({ deadLetters: projector.deadLetters, fatal: projector.fatal }).toEqual({
      deadLetters: [],
      fatal: [],
    });
    expect(await rowsIn(database)).toEqual({ ...whole, events: [] });
    expect(await monthsBefore('2026-05-01')).toEqual([]);
  });

  it('applies these events also when it begins with the ledger after the months were dropped', async () => {
    const whole = await foldedWithoutRetention();
    await dropMonthsBefore(database, '2026-04-01');
    const projector = aProjector(database);
    await projector.project(RECORDS);
    expect(projector.deadLetters).toEqual([]);
    const { events, ...others } = await rowsIn(database);
    expect(others).toEqual(whole);
    const times = (events as { time: string }[]).map(({ time }) => time.slice(0, 'YYYY-MM'.length));
    expect([...new Set(times)]).toEqual(['2026-04']);
    expect(await monthsBefore('2026-05-01')).toEqual(['2026-04-01']);
  });

  it('creates the months again if a person dropped them in SQL, and stores the events that it had not applied', async () => {
    const projector = aProjector(database);
    await projector.project(RECORDS.slice(0, 3));
    await database.run(sql`drop table jobledger.events_2026_03, jobledger.events_2026_04`);
    await projector.project(RECORDS.slice(3));
    expect(projector.deadLetters).toEqual([]);
    const ids = new Set(
      RECORDS.slice(3).map(({ value }) => (JSON.parse(String(value)) as { id: string }).id),
    );
    for (const { value } of RECORDS.slice(0, 3)) ids.delete((JSON.parse(String(value)) as { id: string }).id);
    const [kept] = await database.run<{ events: number }>(
      sql`select count(*)::int as events from jobledger.events`,
    );
    expect(kept).toEqual({ events: ids.size });
  });
});

describe('the instant from which the retention keeps events', () => {
  it('is recorded, and does not become earlier', async () => {
    await dropMonthsBefore(database, '2026-05-01');
    await dropMonthsBefore(database, '2026-03-01');
    expect(await database.run(sql`select events_from from jobledger.retention`)).toEqual([
      { events_from: '2026-05-01T00:00:00.000Z' },
    ]);
  });
});
