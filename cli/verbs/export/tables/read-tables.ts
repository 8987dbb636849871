import type { Run } from '../../../../services/adapters/postgres/database.ts';
import { sql } from '../../../../services/adapters/postgres/statement.ts';
import { parquetTypeFor } from '../../../../services/adapters/parquet/parquet-type.ts';
import type { ParquetColumn } from '../../../../services/adapters/parquet/parquet-file.ts';
import { CLUSTERS, EXPORTED } from './exported-tables.ts';
import type { DescribedTable } from './manifest.ts';
import { monthBounds } from './months.ts';

/** A table or view with the columns of its files. */
export interface SelectedTable {
  name: string;
  description: DescribedTable;
  columns: readonly ParquetColumn[];
}

/** The rows of one or several files. */
export interface TableMonth {
  table: SelectedTable;
  /** Null for the table of clusters. */
  of: { cluster: string; month: string } | null;
}

/** Rows are fetched in batches: at most this number, and fewer of rows with many characters, because one row may have a megabyte. */
const [BATCH, BATCH_CHARACTERS] = [200, 2 ** 21];

/** Reads the columns of tables and their descriptions from the catalog. The cluster is in the path of a file, so it is no column of the file. */
export async function describeTables(run: Run, names: readonly string[]): Promise<SelectedTable[]> {
  const found = await run<{ relation: string; about: string; name: string; type: string; meaning: string }>(
    sql`select c.relname as relation, coalesce(obj_description(c.oid, 'pg_class'), '') as about, a.attname as name,
          format_type(a.atttypid, a.atttypmod) as type, coalesce(col_description(c.oid, a.attnum), '') as meaning
        from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relnamespace = 'jobledger'::regnamespace and c.relname = any(${names})
        order by a.attnum`,
  );
  return names.map((name) => {
    const columns = found
      .filter((each) => each.relation === name && each.name !== 'cluster')
      .map((each) => ({ ...each, parquet: parquetTypeFor(`${name}.${each.name}`, each.type) }));
    return {
      name,
      description: {
        about: found.find(({ relation }) => relation === name)?.about ?? '',
        columns: columns.map(({ meaning, parquet, ...column }) => ({
          name: column.name,
          type: column.type,
          parquet: parquet.name,
          about: meaning,
        })),
      },
      columns: columns.map((column) => ({ name: column.name, type: column.parquet })),
    };
  });
}

/** The clusters and months of a table, in order; with `cluster` and `month`, at most the one that they name. */
export async function listMonths(
  run: Run,
  table: SelectedTable,
  only: { cluster?: string | undefined; month?: string | undefined },
): Promise<TableMonth[]> {
  if (table.name === CLUSTERS) return [{ table, of: null }];
  const { text, values } = restricted(table.name, only);
  const found = await run<{ cluster: string; month: string }>({
    text: `select r.cluster, to_char(${monthOf(table.name)} at time zone 'UTC', 'YYYY-MM') as month
           from jobledger.${table.name} r where ${text} group by 1, 2 order by 1, 2`,
    values,
  });
  return found.map((of) => ({ table, of }));
}

/** A row as texts in the order of the columns, and whether the row may still change. */
export interface Row {
  texts: (string | null)[];
  mayChange: boolean;
}

/** Reads rows in batches with a cursor of the present transaction. A row of clusters may always change. */
export async function* readRows(run: Run, { table, of }: TableMonth, before: Date): AsyncGenerator<Row> {
  const { name, columns } = table;
  const selected = columns.map((column, at) => `${column.type.select(`r."${column.name}"`)} as c${at}`);
  const { text: condition, values } = restricted(name, of ?? {});
  const unchanged = EXPORTED[name]?.unchangedFrom ?? 'null::timestamptz';
  await run({
    text: `declare exported no scroll cursor for
           select ${selected.join(', ')}, coalesce(${unchanged} >= $${values.length + 1}, true) as may_change
           from jobledger.${name} r where ${condition}`,
    values: [...values, before.toISOString()],
  });
  let batch = 1;
  for (;;) {
    const fetch = { text: `fetch ${batch} from exported`, values: [] };
    const rows = await run<{ may_change: boolean } & Record<`c${number}`, string | null>>(fetch);
    let longest = 1;
    for (const row of rows) {
      const texts = columns.map((_column, at) => row[`c${at}`] ?? null);
      longest = Math.max(
        longest,
        texts.reduce((sum, text) => sum + (text?.length ?? 0), 0),
      );
      yield { texts, mayChange: row.may_change };
    }
    if (rows.length < batch) break;
    batch = Math.min(BATCH, Math.max(1, Math.floor(BATCH_CHARACTERS / longest)));
  }
  await run({ text: 'close exported', values: [] });
}

/** The instant that determines the month of a row. */
function monthOf(table: string): string {
  return EXPORTED[table]?.month ?? `'epoch'::timestamptz`;
}

/** The condition for the rows of a cluster and a month, and its values. */
function restricted(
  table: string,
  { cluster, month }: { cluster?: string | undefined; month?: string | undefined },
): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const conditions = ['true'];
  if (cluster !== undefined) conditions.push(`r.cluster = $${values.push(cluster)}`);
  if (month !== undefined) {
    const { from, until } = monthBounds(month);
    const at = monthOf(table);
    conditions.push(`${at} >= $${values.push(from)}`, `${at} < $${values.push(until)}`);
  }
  return { text: conditions.join(' and '), values };
}
