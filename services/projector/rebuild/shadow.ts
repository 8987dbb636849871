import type { Session } from '../../adapters/postgres/session.ts';
import { columnsOf, type Table } from '../tables/table.ts';
import { copyLineOf } from './copy-text.ts';

/** Characters of one COPY, and how many of them may be on their way: Postgres works while the next rows are made. */
const CHUNK = 1024 * 1024;
const AHEAD = 16;

/** The table beside a live one: of this session alone, and gone with it. */
export function shadowOf<Row>({ name }: Table<Row>): string {
  return `pg_temp.rebuilt_${name}`;
}

/** Cluster and UID of a Job. */
export type JobKey = readonly [string, string];

/** The two columns that name the Job of a row; null where rows are of no Job. */
export function jobColumnsOf<Row>({ key }: Table<Row>): [string, string] | null {
  const [cluster, job] = key;
  return cluster === 'cluster' && job !== undefined ? [cluster, job] : null;
}

/** Makes the table beside a live one, with the same columns; its only index finds the rows of a Job. */
export async function createShadow<Row>({ run }: Session, table: Table<Row>): Promise<void> {
  const name = `rebuilt_${table.name}`;
  await run({ text: `create temp table ${name} (like jobledger.${table.name})`, values: [] });
  // To compress what is read once costs more than to write it down.
  for (const [column, type] of Object.entries(table.columns))
    if (type === 'jsonb')
      await run({ text: `alter table ${name} alter column ${column} set storage external`, values: [] });
  const job = jobColumnsOf(table);
  if (job !== null) await run({ text: `create index on pg_temp.${name} (${job.join(', ')})`, values: [] });
}

/** Adds rows to a table beside a live one, some of them while the next are made. */
export interface ShadowWriter<Row> {
  /** When it gives a promise, wait for it before more is added. */
  add(row: Row): Promise<void> | undefined;
  /** Resolves when every row is in its table. */
  end(): Promise<void>;
}

export function writeShadow<Row>({ copy }: Session, table: Table<Row>): ShadowWriter<Row> {
  const statement = `copy ${shadowOf(table)} (${columnsOf(table).join(', ')}) from stdin`;
  const lineOf = copyLineOf(table);
  let lines = '';
  const onTheirWay: Promise<void>[] = [];
  const flush = (): Promise<void> | undefined => {
    const copied = copy(statement, lines);
    lines = '';
    // Whoever waits for it is told.
    copied.catch(() => undefined);
    onTheirWay.push(copied);
    return onTheirWay.length > AHEAD ? onTheirWay.shift() : undefined;
  };
  return {
    add(row) {
      lines += lineOf(row);
      return lines.length > CHUNK ? flush() : undefined;
    },
    async end() {
      if (lines !== '') await flush();
      await Promise.all(onTheirWay.splice(0));
    },
  };
}

/** Takes the rows of Jobs out of a table beside a live one. */
export async function takeOut<Row>(
  { run }: Session,
  table: Table<Row>,
  jobs: readonly JobKey[],
): Promise<Row[]> {
  const columns = jobColumnsOf(table);
  if (columns === null) return [];
  return run<Row>({
    text: `delete from ${shadowOf(table)} where (${columns.join(', ')}) in (select * from unnest($1::text[], $2::text[])) returning ${columnsOf(table).join(', ')}`,
    values: [jobs.map(([cluster]) => cluster), jobs.map(([, uid]) => uid)],
  });
}

/** Empties a table beside a live one. */
export async function clear<Row>({ run }: Session, table: Table<Row>): Promise<void> {
  await run({ text: `delete from ${shadowOf(table)}`, values: [] });
}
