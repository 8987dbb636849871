import { InputError } from '../../../../services/adapters/errors.ts';
import { EXPORTED } from './exported-tables.ts';
import { isIntact, type ExportedFile, type Snapshot, type TablesManifest } from './manifest.ts';
import { monthBounds } from './months.ts';

/**
 * True if the files of a cluster and a month in the directory stay: they are complete, or the interrupted export that is
 * resumed has written them, or the tables have lost rows of the month since. @throws InputError if such files are
 * damaged, and the tables no longer have their rows.
 */
export async function areKept(
  directory: string,
  manifest: TablesManifest,
  files: readonly ExportedFile[],
  now: Snapshot,
): Promise<boolean> {
  const isLast = files.some((file) => hasLostRows(file, manifest, now));
  const { unfinishedSince } = manifest;
  const areWritten = files.every(
    ({ complete, snapshot }) => complete || (unfinishedSince !== null && snapshot >= unfinishedSince),
  );
  if (files.length === 0 || !(isLast || areWritten)) return false;
  for (const file of files) {
    if (await isIntact(directory, file)) continue;
    if (!isLast) return false;
    throw new InputError(
      `${directory}/${file.path} is missing or damaged, and retention has removed rows of its month from the tables: restore the file from a copy, or export to another directory`,
    );
  }
  return true;
}

/** The files of rows that are in other months now, so that the directory would have the rows twice. */
export function outdatedFiles(
  manifest: TablesManifest,
  isSelected: (file: ExportedFile) => boolean,
  now: Snapshot,
): ExportedFile[] {
  return manifest.files.filter(
    (file) => !file.complete && isSelected(file) && !hasLostRows(file, manifest, now),
  );
}

/** True if retention has removed rows of the file's month from the tables since the file was written. */
function hasLostRows(
  { table, month, snapshot }: ExportedFile,
  manifest: TablesManifest,
  now: Snapshot,
): boolean {
  if (month === null) return false;
  const { from } = monthBounds(month);
  const before = manifest.snapshots[snapshot];
  const isReached = (limit: string | null, then: string | null = null): boolean =>
    limit !== null && limit !== then && Date.parse(from) < Date.parse(limit);
  return (
    isReached(now.horizon, before?.horizon) ||
    (EXPORTED[table]?.isOfEvents === true && isReached(now.eventsFrom, before?.eventsFrom))
  );
}
