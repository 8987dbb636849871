import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { InputError } from '../../../../services/adapters/errors.ts';
import type { KafkaConnection } from '../../../../services/adapters/kafka/connection.ts';
import type { Run } from '../../../../services/adapters/postgres/database.ts';
import { openSession } from '../../../../services/adapters/postgres/session.ts';
import { sql } from '../../../../services/adapters/postgres/statement.ts';
import { requireSameCluster } from '../../../../services/read-model/state/same-cluster.ts';
import { requireSchema } from '../../../../services/read-model/state/schema.ts';
import { resolveAddresses } from '../../../addresses.ts';
import { discardAtStop } from '../../../discard-at-stop.ts';
import { openLedger } from '../../../ledger/read-ledger.ts';
import type { StateDirOption } from '../../../options.ts';
import { report } from '../../../output.ts';
import { countText } from '../../../print/counted.ts';
import { progressLine } from '../../../print/progress-line.ts';
import { withAdvice } from '../../../with-database.ts';
import {
  discardUnfinished,
  lockDirectory,
  openDirectory,
  openManifest,
  writeManifest,
  type ExportDirectory,
} from './directory.ts';
import { CLUSTERS, EXPORTED } from './exported-tables.ts';
import { areKept, outdatedFiles } from './kept-files.ts';
import type { ExportedFile, Snapshot, TablesManifest } from './manifest.ts';
import { describeTables, listMonths, type TableMonth, type SelectedTable } from './read-tables.ts';
import { beginSnapshot, readSnapshot } from './snapshot.ts';
import { rowsPath, writeMonth } from './write-month.ts';

/** The options of an export of tables. */
export interface TablesOptions extends StateDirOption {
  readonly out: string;
  /** Default: every table. */
  readonly tables?: readonly string[];
  /** Such as `2026-11`. Default: every month. */
  readonly month?: string;
  /** Default: every cluster. */
  readonly cluster?: string;
}

/** Writes tables and views as Parquet files, from one snapshot of the database. */
export async function exportTables(options: TablesOptions): Promise<void> {
  const directory = openDirectory(options.out);
  const connection = await openLedger(options);
  const session = await openSession(resolveAddresses(options).postgres, 'jobledger export');
  try {
    await requireSchema(session.run);
    await lockDirectory(directory, session.run);
    discardAtStop(() => discardUnfinished(directory));
    report(await exportSnapshot(session.run, connection, directory, options));
    discardUnfinished(directory);
  } catch (error) {
    throw withAdvice(error);
  } finally {
    await session.close();
  }
}

/** Returns the printed text. */
async function exportSnapshot(
  run: Run,
  connection: KafkaConnection,
  directory: ExportDirectory,
  options: TablesOptions,
): Promise<string> {
  const topic = connection.topics.ledger;
  const manifest = openManifest(directory, {
    topic,
    kafkaCluster: await requireSameCluster(run, connection),
  });
  const at = await beginSnapshot(run, connection);
  const tables = await describeTables(run, options.tables ?? [CLUSTERS, ...Object.keys(EXPORTED)]);
  requireSameColumns(directory, manifest, tables);
  const wanted = await listWanted(run, tables, options);
  const instant = new Date(at).toISOString();
  const snapshot = await readSnapshot(run, topic);
  manifest.unfinishedSince ??= instant;
  manifest.snapshots[instant] = snapshot;
  const save = (): void => writeManifest(directory, manifest);
  save();
  const progress = progressLine(process.stderr, 'months of tables');
  const written: ExportedFile[] = [];
  let kept = 0;
  for (const [done, rows] of wanted.entries()) {
    progress.show(done, wanted.length);
    const existing = manifest.files.filter(({ path }) => path.startsWith(`${rowsPath(rows)}/`));
    if (await areKept(directory.path, manifest, existing, snapshot)) {
      kept += existing.length;
      continue;
    }
    const files = await writeMonth(run, directory, rows, at);
    manifest.files = [...manifest.files.filter((file) => !existing.includes(file)), ...files];
    written.push(...files);
    save();
  }
  progress.show(wanted.length, wanted.length);
  progress.end();
  removeOutdated(directory, manifest, { tables, wanted, snapshot, options });
  manifest.unfinishedSince = null;
  const used = new Set(manifest.files.map((file) => file.snapshot));
  manifest.snapshots = Object.fromEntries(
    Object.entries(manifest.snapshots).filter(([key]) => used.has(key)),
  );
  save();
  const rows = written.reduce((sum, file) => sum + file.rows, 0);
  const keptText = kept === 0 ? '' : `, and kept ${countText(kept, 'file')} of earlier exports`;
  return `wrote ${countText(rows, 'row')} in ${countText(written.length, 'file')} to ${options.out}${keptText}`;
}

/** Removes the files of selected months that have no rows any more, such as those of a Job whose creation became known later. */
function removeOutdated(
  directory: ExportDirectory,
  manifest: TablesManifest,
  {
    tables,
    wanted,
    snapshot,
    options: { cluster, month },
  }: {
    tables: readonly SelectedTable[];
    wanted: readonly TableMonth[];
    snapshot: Snapshot;
    options: TablesOptions;
  },
): void {
  const present = new Set(wanted.map(rowsPath));
  const isSelected = (file: ExportedFile): boolean =>
    tables.some(({ name }) => name === file.table) &&
    (cluster ?? file.cluster) === file.cluster &&
    (month ?? file.month) === file.month &&
    !present.has(dirname(file.path));
  const outdated = outdatedFiles(manifest, isSelected, snapshot);
  manifest.files = manifest.files.filter((file) => !outdated.includes(file));
  for (const { path } of outdated) rmSync(join(directory.path, path), { force: true });
}

/** The clusters and months to export. @throws InputError if the tables have no such cluster or month. */
async function listWanted(
  run: Run,
  tables: readonly SelectedTable[],
  options: TablesOptions,
): Promise<TableMonth[]> {
  const { cluster, month } = options;
  if (cluster !== undefined) {
    const [found] = await run(sql`select from jobledger.clusters where name = ${cluster}`);
    if (found === undefined) throw new InputError(`the tables have no cluster named "${cluster}"`);
  }
  const wanted: TableMonth[] = [];
  for (const table of tables) wanted.push(...(await listMonths(run, table, options)));
  if (month !== undefined && wanted.every(({ of }) => of === null))
    throw new InputError(
      `--month ${month}: the tables have no row of this month${cluster === undefined ? '' : ` in the cluster "${cluster}"`}`,
    );
  return wanted;
}

/** Describes the tables in the manifest. @throws InputError if the directory has a table with other columns. */
function requireSameColumns(
  { path }: ExportDirectory,
  manifest: TablesManifest,
  tables: readonly SelectedTable[],
): void {
  for (const { name, description } of tables) {
    const before = manifest.tables[name];
    const types = ({ columns }: typeof description): string =>
      columns.map((column) => `${column.name} ${column.parquet}`).join(', ');
    if (before !== undefined && types(before) !== types(description))
      throw new InputError(
        `${path} has an export of the table ${name} with other columns, by another version: give a new directory`,
      );
    manifest.tables[name] = description;
  }
}
