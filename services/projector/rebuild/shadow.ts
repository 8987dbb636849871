import type { Run } from '../../adapters/postgres/database.ts';
import type { Session } from '../../adapters/postgres/session.ts';
import { sql } from '../../adapters/postgres/statement.ts';
import { EVENT_IDS } from '../../read-model/tables/events.ts';
import { columnNames, ownerColumns } from '../statements.ts';
import { type Table } from '../../read-model/tables/table.ts';
import { copyLineFormatter } from './copy-text.ts';

/**
 * The length of one COPY in characters, and the most COPYs in flight. Postgres works while the next rows are encoded.
 */
const CHUNK = 1024 * 1024;
const AHEAD = 16;

/** The schema of the shadow tables during a rebuild, which is visible to every connection. */
const SCHEMA = 'jobledger_rebuild';

/** The name of the shadow table of a live table. */
export function shadowName<Row>({ name }: Table<Row>): string {
  return `${SCHEMA}.${name}`;
}

/** The key of the stream that a row belongs to: a cluster (by name) or a Job (by cluster and UID). */
export type Owner = readonly [cluster: string] | readonly [cluster: string, jobUid: string];

/** Creates an empty schema; drops the remains of a killed rebuild. */
export async function createSchema(run: Run): Promise<void> {
  await dropSchema(run);
  await run(sql`create schema jobledger_rebuild`);
}

export async function dropSchema(run: Run): Promise<void> {
  await run(sql`drop schema if exists jobledger_rebuild cascade`);
}

/**
 * Creates the shadow table of a live table, with the same columns and defaults. A later version may have added columns
 * that this version does not write. The only index of the table finds the rows of an owner. The table is unlogged:
 * after a crash of Postgres it is empty, and the rebuild has failed.
 */
export async function createShadow<Row>(run: Run, table: Table<Row>): Promise<void> {
  const name = shadowName(table);
  await run({
    text: `create unlogged table ${name} (like jobledger.${table.name} including defaults) with (autovacuum_enabled = false)`,
    values: [],
  });
  // The compression of values that are read only once costs more than uncompressed storage.
  for (const column of columnNames(table))
    if (table.columns[column].sql === 'jsonb')
      await run({ text: `alter table ${name} alter column ${column} set storage external`, values: [] });
  const owner = ownerColumns(table);
  if (owner.length > 0) await run({ text: `create index on ${name} (${owner.join(', ')})`, values: [] });
}

/** Creates the index for lookups by event id. */
export async function createIdIndex(run: Run): Promise<void> {
  await run({ text: `create index if not exists by_id on ${shadowName(EVENT_IDS)} (id)`, values: [] });
}

/** True when any event id was stored more than once. */
export async function hasDuplicateIds(run: Run): Promise<boolean> {
  const twice = await run({
    text: `select id from ${shadowName(EVENT_IDS)} group by id having count(*) > 1 limit 1`,
    values: [],
  });
  return twice.length > 0;
}

/** Adds rows to a shadow table, by COPY. */
export interface ShadowWriter<Row> {
  /** If the function returns a promise, the caller awaits this promise before it adds further rows. */
  add(row: Row): Promise<void> | undefined;
  /** Resolves when every row is in the table. */
  end(): Promise<void>;
}

export function writeShadow<Row>({ copy }: Session, table: Table<Row>): ShadowWriter<Row> {
  const statement = `copy ${shadowName(table)} (${columnNames(table).join(', ')}) from stdin`;
  const toLine = copyLineFormatter(table);
  const inFlight: Promise<void>[] = [];
  let lines: string[] = [];
  let length = 0;
  const flush = (): Promise<void> | undefined => {
    const copied = copy(statement, lines.join(''));
    [lines, length] = [[], 0];
    // The error is reported to the caller that awaits the promise.
    copied.catch(() => undefined);
    inFlight.push(copied);
    return inFlight.length > AHEAD ? inFlight.shift() : undefined;
  };
  return {
    add(row) {
      const line = toLine(row);
      lines.push(line);
      length += line.length;
      return length > CHUNK ? flush() : undefined;
    },
    async end() {
      if (length > 0) await flush();
      await Promise.all(inFlight.splice(0));
    },
  };
}

/** Deletes and returns the rows of these owners in a shadow table. */
export async function removeRows<Row>(run: Run, table: Table<Row>, owners: readonly Owner[]): Promise<Row[]> {
  const columns = ownerColumns(table);
  const mine = owners.filter(({ length }) => length === columns.length);
  if (mine.length === 0) return [];
  const lists = columns.map((_column, at) => `$${at + 1}::text[]`);
  return run<Row>({
    text: `delete from ${shadowName(table)} where (${columns.join(', ')}) in (select * from unnest(${lists.join(', ')})) returning ${columnNames(table).join(', ')}`,
    values: columns.map((_column, at) => mine.map((owner) => owner[at])),
  });
}
