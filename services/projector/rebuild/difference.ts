import { stringifyExact } from '../../adapters/exact-json.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { columnNames } from '../statements.ts';
import { type Table } from '../../read-model/tables/table.ts';
import { shadowName } from './shadow.ts';

/** The comparison of one live table with its rebuilt copy, at the same positions of the ledger. */
export interface TableComparison {
  table: string;
  rows: string;
  checksum: string;
  live: Checksum;
  /** The number of rows that differ. */
  differences: number;
  /** The first differing rows, ordered by key. */
  shown: RowDifference[];
}

interface Checksum {
  rows: string;
  checksum: string;
}

/** A row of a live table that differs from the ledger. */
export interface RowDifference {
  /** The values of the key columns, in order. */
  key: unknown[];
  /** `missing` means that the row is not in the live table, `extra` that the row is only in the live table. */
  kind: 'missing' | 'extra' | 'changed';
  /** The differing columns of a changed row. */
  columns: { column: string; live: unknown; ledger: unknown }[];
}

/** The most rows that are shown per table; further rows are only counted. */
const SHOWN = 20;

/** Compares a live table with its rebuilt copy, and stores the keys that differ in a temporary table for `repairTable`. */
export async function compareTable<Row>(run: Run, table: Table<Row>): Promise<TableComparison> {
  const live = await readChecksum(run, table, `jobledger.${table.name}`);
  const { rows, checksum } = await readChecksum(run, table, shadowName(table));
  const same = { table: table.name, rows, checksum, live, differences: 0, shown: [] };
  if (isSameChecksum(live, { rows, checksum })) return same;
  return { ...same, differences: await findDifferences(run, table), shown: await readSample(run, table) };
}

/** The number of rows and the sum of their hashes, which does not depend on the order. */
async function readChecksum<Row>(run: Run, table: Table<Row>, name: string): Promise<Checksum> {
  const [found] = await run<Checksum>({
    text: `select count(*)::text as rows, coalesce(sum(${rowHash(table)}), 0)::text as checksum from ${name}`,
    values: [],
  });
  return found ?? { rows: '0', checksum: '0' };
}

function isSameChecksum(a: Checksum, b: Checksum): boolean {
  return a.rows === b.rows && a.checksum === b.checksum;
}

function rowHash<Row>(table: Table<Row>): string {
  return `hash_record_extended(row(${columnNames(table).join(', ')}), 0)`;
}

function keyColumns<Row>(table: Table<Row>): string {
  return table.key.join(', ');
}

/** The temporary table with the keys that differ, until the next comparison. */
function differingTable<Row>({ name }: Table<Row>): string {
  return `pg_temp.differing_${name}`;
}

/** Collects the keys of the rows that differ in a temporary table, and returns their number. */
async function findDifferences<Row>(run: Run, table: Table<Row>): Promise<number> {
  const selectHashes = (name: string): string =>
    `(select ${keyColumns(table)}, ${rowHash(table)} as hash from ${name})`;
  await run({ text: `drop table if exists ${differingTable(table)}`, values: [] });
  await run({
    text: `create temp table differing_${table.name} as
      select ${keyColumns(table)}, live.hash is null as is_missing, ledger.hash is null as is_extra
      from ${selectHashes(`jobledger.${table.name}`)} live full join ${selectHashes(shadowName(table))} ledger using (${keyColumns(table)})
      where live.hash is distinct from ledger.hash`,
    values: [],
  });
  const [found] = await run<{ count: string }>({
    text: `select count(*) as count from ${differingTable(table)}`,
    values: [],
  });
  return Number(found?.count ?? 0);
}

interface DifferingRow {
  key: unknown[];
  live: Record<string, unknown> | null;
  ledger: Record<string, unknown> | null;
}

async function readSample<Row>(run: Run, table: Table<Row>): Promise<RowDifference[]> {
  const keys = keyColumns(table);
  const rows = await run<DifferingRow>({
    text: `select jsonb_build_array(${keys}) as key, to_jsonb(live) as live, to_jsonb(ledger) as ledger
      from (select ${keys} from ${differingTable(table)} order by ${keys} limit ${SHOWN}) differing
      left join jobledger.${table.name} live using (${keys})
      left join ${shadowName(table)} ledger using (${keys})
      order by ${keys}`,
    values: [],
  });
  return rows.map((row) => rowDifference(table, row));
}

function rowDifference<Row>(table: Table<Row>, { key, live, ledger }: DifferingRow): RowDifference {
  if (live === null) return { key, kind: 'missing', columns: [] };
  if (ledger === null) return { key, kind: 'extra', columns: [] };
  const columns = columnNames(table)
    .map((column) => ({ column, live: live[column], ledger: ledger[column] }))
    .filter((each) => stringifyExact(each.live) !== stringifyExact(each.ledger));
  return { key, kind: 'changed', columns };
}

/**
 * Makes the differing rows of the live table equal to the rebuilt rows; other rows are not written. Columns that only a
 * later version has keep their values.
 */
export async function repairTable<Row>(run: Run, table: Table<Row>): Promise<void> {
  const columns = columnNames(table).join(', ');
  const isSameColumn = (one: string): string =>
    table.key.map((column) => `${one}.${column} = differing.${column}`).join(' and ');
  await run({
    text: `delete from jobledger.${table.name} live using ${differingTable(table)} differing where ${isSameColumn('live')} and differing.is_extra`,
    values: [],
  });
  const others = columnNames(table).filter((column) => !table.key.includes(column));
  await run({
    text: `update jobledger.${table.name} live set ${others.map((column) => `${column} = ledger.${column}`).join(', ')}
      from ${shadowName(table)} ledger, ${differingTable(table)} differing
      where ${isSameColumn('live')} and ${isSameColumn('ledger')} and not differing.is_missing and not differing.is_extra`,
    values: [],
  });
  await run({
    text: `insert into jobledger.${table.name} (${columns})
      select ${columns} from ${shadowName(table)} join ${differingTable(table)} using (${keyColumns(table)}) where is_missing`,
    values: [],
  });
}

/** True when the live table equals the rebuilt table after the repair. */
export async function isRepaired<Row>(run: Run, table: Table<Row>, ledger: Checksum): Promise<boolean> {
  return isSameChecksum(await readChecksum(run, table, `jobledger.${table.name}`), ledger);
}
