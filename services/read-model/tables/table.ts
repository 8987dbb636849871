import { z } from 'zod';

export type ColumnType = 'text' | 'integer' | 'bigint' | 'numeric' | 'boolean' | 'timestamptz' | 'jsonb';

/** A column: its type in Postgres, and its values as rows have them. */
export interface Column<Schema extends z.ZodType = z.ZodType> {
  sql: ColumnType;
  schema: Schema;
}

export type Columns = Readonly<Record<string, Column>>;

/** A row with these columns. */
export type RowIn<C extends Columns> = { [Name in keyof C]: z.infer<C[Name]['schema']> };
export type RowOf<T extends { row?: object }> = NonNullable<T['row']>;

export const text = { sql: 'text', schema: z.string() } as const;
export const integer = { sql: 'integer', schema: z.int() } as const;
/** Digits: the values may be larger than a JavaScript number can hold. */
export const bigint = { sql: 'bigint', schema: z.string() } as const;
export const numeric = { sql: 'numeric', schema: z.string() } as const;
export const boolean = { sql: 'boolean', schema: z.boolean() } as const;
/** RFC 3339. */
export const instant = { sql: 'timestamptz', schema: z.iso.datetime({ offset: true }) } as const;
export const labels = json(z.record(z.string(), z.string()));
export const names = json(z.array(z.string()));

export function json<S extends z.ZodType>(schema: S): Column<S> {
  return { sql: 'jsonb', schema };
}

/** Text with a fixed set of values. */
export function oneOf<const Values extends readonly [string, ...string[]]>(
  values: Values,
): Column<z.ZodEnum<{ [Value in Values[number]]: Value }>> {
  return { sql: 'text', schema: z.enum(values) };
}

export function orNull<S extends z.ZodType>({ sql, schema }: Column<S>): Column<z.ZodNullable<S>> {
  return { sql, schema: schema.nullable() };
}

/** These columns of a table. */
export function pick<C extends Columns, Name extends keyof C & string>(
  columns: C,
  ...picked: readonly Name[]
): Pick<C, Name> {
  return Object.fromEntries(picked.map((name) => [name, columns[name]])) as Pick<C, Name>;
}

/** The columns of a table without these. */
export function omit<C extends Columns, Name extends keyof C & string>(
  columns: C,
  ...omitted: readonly Name[]
): Omit<C, Name> {
  const without = new Set<string>(omitted);
  return Object.fromEntries(Object.entries(columns).filter(([name]) => !without.has(name))) as Omit<C, Name>;
}

/** A table of the schema `jobledger`: its columns and primary key. */
export interface Table<Row> {
  name: string;
  key: readonly (keyof Row & string)[];
  columns: Readonly<Record<keyof Row & string, Column>>;
  /** Never present at run time: only the compiler reads it. */
  row?: Row;
  /** Rows are added and never change: a second row with the same key is ignored. */
  isAppendOnly?: true;
}

type TableWith<C extends Columns> = Omit<Table<RowIn<C>>, 'columns'> & { columns: C };

/** A table whose row type follows from its columns. */
export function table<const C extends Columns>(of: TableWith<C>): TableWith<C> {
  return of;
}
