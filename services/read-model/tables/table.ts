import { z } from 'zod';

export type ColumnType = 'text' | 'integer' | 'bigint' | 'numeric' | 'boolean' | 'timestamptz' | 'jsonb';

/** A column: its type in Postgres, and the schema of its values in rows. */
export interface Column<Schema extends z.ZodType = z.ZodType> {
  sql: ColumnType;
  schema: Schema;
  /** The maximum number of characters of a text; absent when the text is never cut. */
  most?: number;
}

export type Columns = Readonly<Record<string, Column>>;

/** A row with the given columns. */
export type RowIn<C extends Columns> = { [Name in keyof C]: z.infer<C[Name]['schema']> };
export type RowOf<T extends { row?: object }> = NonNullable<T['row']>;

export const text = { sql: 'text', schema: z.string() } as const;
/**
 * The longest name in Kubernetes, in characters. An index accepts at most 2,704 bytes of a row, and any user can write
 * a longer text as a name.
 */
const LONGEST_NAME = 253;
/** Text that an index contains: names, UIDs and words. The rest of a longer text is cut off. */
export const shortText: Column<z.ZodString> = { sql: 'text', schema: z.string(), most: LONGEST_NAME };
/** An indexed text of several parts, each of which has a limit. */
export const composedText: Column<z.ZodString> = { sql: 'text', schema: z.string(), most: 500 };
export const integer = { sql: 'integer', schema: z.int() } as const;
/** A text of digits, because the values may exceed the range of a JavaScript number. */
export const bigint = { sql: 'bigint', schema: z.string() } as const;
export const numeric = { sql: 'numeric', schema: z.string() } as const;
export const boolean = { sql: 'boolean', schema: z.boolean() } as const;
/** An instant in RFC 3339. */
export const instant = { sql: 'timestamptz', schema: z.iso.datetime({ offset: true }) } as const;
export const labels = jsonColumn(z.record(z.string(), z.string()));
/** Amounts by resource of Kubernetes, such as `cpu` in cores and `memory` in bytes. */
export const amounts = jsonColumn(z.record(z.string(), z.number()));
export const names = jsonColumn(z.array(z.string()));

/** A column of JSON whose values match a schema. */
export function jsonColumn<S extends z.ZodType>(schema: S): Column<S> {
  return { sql: 'jsonb', schema };
}

/** Text with a fixed set of values. */
export function enumColumn<const Values extends readonly [string, ...string[]]>(
  values: Values,
): Column<z.ZodEnum<{ [Value in Values[number]]: Value }>> {
  return { sql: 'text', schema: z.enum(values) };
}

/** The column with null as a further value. */
export function nullable<S extends z.ZodType>({ schema, ...column }: Column<S>): Column<z.ZodNullable<S>> {
  return { ...column, schema: schema.nullable() };
}

const [LEAST_INTEGER, MOST_INTEGER] = [-(2 ** 31), 2 ** 31 - 1];

/** The value to store in a column: a value that is too long or too large is cut, so that no object is refused. */
export function fittingValue({ sql, most = Infinity }: Column, value: unknown): unknown {
  if (typeof value === 'string') return value.length > most ? value.slice(0, most).toWellFormed() : value;
  if (sql !== 'integer' || (typeof value !== 'number' && typeof value !== 'bigint')) return value;
  return Math.min(Math.max(Math.trunc(Number(value)), LEAST_INTEGER), MOST_INTEGER);
}

/** The given columns of a table. */
export function pickColumns<C extends Columns, Name extends keyof C & string>(
  columns: C,
  ...picked: readonly Name[]
): Pick<C, Name> {
  return Object.fromEntries(picked.map((name) => [name, columns[name]])) as Pick<C, Name>;
}

/** The columns of a table without the given columns. */
export function omitColumns<C extends Columns, Name extends keyof C & string>(
  columns: C,
  ...omitted: readonly Name[]
): Omit<C, Name> {
  const without = new Set<string>(omitted);
  return Object.fromEntries(Object.entries(columns).filter(([name]) => !without.has(name))) as Omit<C, Name>;
}

/** A table of the schema `jobledger`, with its columns and its primary key. */
export interface Table<Row> {
  name: string;
  key: readonly (keyof Row & string)[];
  columns: Readonly<Record<keyof Row & string, Column>>;
  /** The property never exists at run time, because only the compiler reads it. */
  row?: Row;
  /** Rows are added and never change: a second row with the same key is ignored. */
  isAppendOnly?: true;
}

type TableWith<C extends Columns> = Omit<Table<RowIn<C>>, 'columns'> & { columns: C };

/** A table whose row type follows from its columns. */
export function defineTable<const C extends Columns>(definition: TableWith<C>): TableWith<C> {
  return definition;
}
