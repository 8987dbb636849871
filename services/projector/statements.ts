import { stringifyExact } from '../adapters/exact-json.ts';
import type { Statement } from '../adapters/postgres/statement.ts';
import type { ColumnType, Table } from '../read-model/tables/table.ts';

/** The values of the key columns, in order. */
export type Key = readonly (string | number)[];

/** The key of a row as text, which is unique within the table. */
export function keyText<Row>(table: Table<Row>, row: Pick<Row, keyof Row>): string {
  return textOfKey(table.key.map((column) => row[column]));
}

/** A separator that cannot occur in a value that Postgres can store. */
const BETWEEN = '\u0000';

/** The key as text, from the values of the key columns in order. */
export function textOfKey(values: readonly unknown[]): string {
  return values.join(BETWEEN);
}

/**
 * Inserts rows. Existing rows with the same keys are replaced as a whole, or are kept in an append-only table. The keys
 * must be distinct.
 */
export function upsert<Row>(table: Table<Row>, rows: readonly Row[]): Statement {
  const columns = columnNames(table);
  const arrays = columns.map((column, index) => `$${index + 1}::${table.columns[column].sql}[]`);
  const others = columns.filter((column) => !table.key.includes(column));
  const replaced = others.map((column) => `${column} = excluded.${column}`).join(', ');
  return {
    text: `insert into jobledger.${table.name} (${columns.join(', ')}) select * from unnest(${arrays.join(', ')}) on conflict (${table.key.join(', ')}) do ${table.isAppendOnly === true ? 'nothing' : `update set ${replaced}`}`,
    values: columns.map((column) => rows.map((row) => toParameter(table.columns[column].sql, row[column]))),
  };
}

/** Selects the rows with these keys. */
export function selectByKey<Row>(table: Table<Row>, keys: readonly Key[]): Statement {
  const arrays = table.key.map((column, index) => `$${index + 1}::${table.columns[column].sql}[]`);
  return {
    text: `select ${columnNames(table).join(', ')} from jobledger.${table.name} where (${table.key.join(', ')}) in (select * from unnest(${arrays.join(', ')}))`,
    values: table.key.map((_column, index) => keys.map((key) => key[index])),
  };
}

/** The columns that name the owner of a row; empty for append-only tables. */
export function ownerColumns<Row>({ key }: Table<Row>): readonly string[] {
  const [first, second] = key;
  if (first === 'cluster' && second !== undefined) return [first, second];
  return first === 'name' ? [first] : [];
}

/** The names of the columns, in order. */
export function columnNames<Row>(table: Table<Row>): (keyof Row & string)[] {
  return Object.keys(table.columns) as (keyof Row & string)[];
}

/** The value as the parameter of a statement: values of `jsonb` columns are JSON text. */
function toParameter(type: ColumnType, value: unknown): unknown {
  return type === 'jsonb' && value !== null ? jsonText(value) : value;
}

/** A value for a jsonb column. A string is already JSON text, because no column stores a plain string. */
export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : stringifyExact(value);
}
