import type { Run } from '../../adapters/postgres/database.ts';
import type { Session } from '../../adapters/postgres/session.ts';
import { sql } from '../../adapters/postgres/statement.ts';
import { EVENT_IDS } from '../tables/events.ts';
import { columnsOf, type Table } from '../tables/table.ts';
import { copyRowsOf } from './copy-binary.ts';

/** Bytes of one COPY, and how many of them may be on their way: Postgres works while the next rows are made. */
const CHUNK = 1024 * 1024;
const AHEAD = 16;

/** Where the tables beside the live ones stand while a rebuild runs; seen by every connection. */
const SCHEMA = 'jobledger_rebuild';

/** The table beside a live one. */
export function shadowOf<Row>({ name }: Table<Row>): string {
  return `${SCHEMA}.${name}`;
}

/** Whose history a row is part of: a cluster's (by name) or a Job's (by cluster and UID), as the key of a record. */
export type Owner = readonly [cluster: string] | readonly [cluster: string, jobUid: string];

/** The columns that name the owner of a row; none where rows are only ever added. */
export function ownerColumnsOf<Row>({ key }: Table<Row>): readonly string[] {
  const [first, second] = key;
  if (first === 'cluster' && second !== undefined) return [first, second];
  return first === 'name' ? [first] : [];
}

/** Makes the schema anew, without what stands there, such as what a rebuild that was killed has left. */
export async function createSchema(run: Run): Promise<void> {
  await dropSchema(run);
  await run(sql`create schema jobledger_rebuild`);
}

export async function dropSchema(run: Run): Promise<void> {
  await run(sql`drop schema if exists jobledger_rebuild cascade`);
}

/**
 * Makes the table beside a live one, with the same columns and their defaults (a later version may have added some that
 * this one does not write); its only index finds the rows of an owner. It is not logged:
 * after a crash of Postgres it is empty, and its rebuild has failed.
 */
export async function createShadow<Row>(run: Run, table: Table<Row>): Promise<void> {
  const name = shadowOf(table);
  await run({
    text: `create unlogged table ${name} (like jobledger.${table.name} including defaults) with (autovacuum_enabled = false)`,
    values: [],
  });
  // To compress what is read once costs more than to write it down.
  for (const [column, type] of Object.entries(table.columns))
    if (type === 'jsonb')
      await run({ text: `alter table ${name} alter column ${column} set storage external`, values: [] });
  const owner = ownerColumnsOf(table);
  if (owner.length > 0) await run({ text: `create index on ${name} (${owner.join(', ')})`, values: [] });
}

/** Makes it fast to ask for an event by its id. */
export async function indexIds(run: Run): Promise<void> {
  await run({ text: `create index if not exists by_id on ${shadowOf(EVENT_IDS)} (id)`, values: [] });
}

/** Whether one event was put down more than once. */
export async function areIdsTwice(run: Run): Promise<boolean> {
  const twice = await run({
    text: `select id from ${shadowOf(EVENT_IDS)} group by id having count(*) > 1 limit 1`,
    values: [],
  });
  return twice.length > 0;
}

/** Adds rows to a table beside a live one, some of them while the next are made. */
export interface ShadowWriter<Row> {
  /** When it gives a promise, wait for it before more is added. */
  add(row: Row): Promise<void> | undefined;
  /** Resolves when every row is in its table. */
  end(): Promise<void>;
}

export function writeShadow<Row>({ copy }: Session, table: Table<Row>): ShadowWriter<Row> {
  const statement = `copy ${shadowOf(table)} (${columnsOf(table).join(', ')}) from stdin (format binary)`;
  const rows = copyRowsOf(table, 1.25 * CHUNK);
  const onTheirWay: Promise<void>[] = [];
  const flush = (): Promise<void> | undefined => {
    const copied = copy(statement, rows.take());
    // Whoever waits for it is told.
    copied.catch(() => undefined);
    onTheirWay.push(copied);
    return onTheirWay.length > AHEAD ? onTheirWay.shift() : undefined;
  };
  return {
    add(row) {
      rows.add(row);
      return rows.size() > CHUNK ? flush() : undefined;
    },
    async end() {
      if (rows.size() > 0) await flush();
      await Promise.all(onTheirWay.splice(0));
    },
  };
}

/** Takes the rows of owners out of a table beside a live one. */
export async function takeOut<Row>(run: Run, table: Table<Row>, owners: readonly Owner[]): Promise<Row[]> {
  const columns = ownerColumnsOf(table);
  const mine = owners.filter(({ length }) => length === columns.length);
  if (mine.length === 0) return [];
  const lists = columns.map((_column, at) => `$${at + 1}::text[]`);
  return run<Row>({
    text: `delete from ${shadowOf(table)} where (${columns.join(', ')}) in (select * from unnest(${lists.join(', ')})) returning ${columnsOf(table).join(', ')}`,
    values: columns.map((_column, at) => mine.map((owner) => owner[at])),
  });
}
