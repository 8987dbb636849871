import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Run } from '../../../../services/adapters/postgres/database.ts';
import {
  createParquetFile,
  type ParquetFile,
  type WrittenFile,
} from '../../../../services/adapters/parquet/parquet-file.ts';
import { errorMessage, InputError } from '../../../../services/adapters/errors.ts';
import type { ExportDirectory } from './directory.ts';
import type { ExportedFile } from './manifest.ts';
import { finalBefore, isOver } from './months.ts';
import { readRows, type TableMonth } from './read-tables.ts';

/** A file has at most about this many characters of rows: the footer of a larger file would take much memory. */
const PART_CHARACTERS = 512 * 2 ** 20;

/** The directory of the files of these rows, relative to that of the export: `jobs/cluster=east/month=2026-11`. */
export function rowsPath({ table, of }: TableMonth): string {
  return of === null
    ? table.name
    : `${table.name}/cluster=${encodeURIComponent(of.cluster)}/month=${of.month}`;
}

/**
 * Writes the files of a cluster and a month beside the others, and then moves all of them into place, instead of older files.
 * `at` is the instant of the snapshot, in milliseconds since 1970. @throws InputError if a file cannot be written.
 */
export async function writeMonth(
  run: Run,
  { path, unfinished }: ExportDirectory,
  rows: TableMonth,
  at: number,
): Promise<ExportedFile[]> {
  const target = rowsPath(rows);
  const draft = join(unfinished, 'rows');
  const written: WrittenFile[] = [];
  let file: ParquetFile | null = null;
  let mayChange = false;
  try {
    mkdirSync(draft);
    for await (const row of readRows(run, rows, finalBefore(at))) {
      file ??= createParquetFile(join(draft, partName(written.length)), rows.table.columns);
      file.add(row.texts);
      mayChange ||= row.mayChange;
      if (file.characters() < PART_CHARACTERS) continue;
      written.push(file.finish());
      file = null;
    }
    if (file !== null) written.push(file.finish());
    file = null;
    moveInto(join(path, target), draft, join(unfinished, 'replaced'));
  } catch (error) {
    file?.abandon();
    throw isOfFiles(error)
      ? new InputError(`${join(path, target)} cannot be written: ${errorMessage(error)}`)
      : error;
  }
  return written.map((each, part) => ({
    path: `${target}/${partName(part)}`,
    table: rows.table.name,
    cluster: rows.of?.cluster ?? null,
    month: rows.of?.month ?? null,
    ...each,
    complete: !mayChange && rows.of !== null && isOver(rows.of.month, at),
    snapshot: new Date(at).toISOString(),
  }));
}

function partName(part: number): string {
  return `part-${part}.parquet`;
}

/** Replaces a directory with another one. */
function moveInto(target: string, draft: string, replaced: string): void {
  mkdirSync(dirname(target), { recursive: true });
  try {
    renameSync(target, replaced);
  } catch (error) {
    if (!isOfFiles(error) || error.code !== 'ENOENT') throw error;
  }
  renameSync(draft, target);
  rmSync(replaced, { recursive: true, force: true });
}

/** True for an error of the file system. */
function isOfFiles(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
