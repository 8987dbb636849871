import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { fileDigest } from '../../../../services/adapters/file-digest.ts';
import { errorMessage, InputError } from '../../../../services/adapters/errors.ts';

const FORMAT = 'jobledger tables in Parquet, version 1';

const FILE = z.object({
  /** Relative to the directory of the export. */
  path: z.string(),
  table: z.string(),
  /** The cluster and the month (`YYYY-MM`) of all rows; null for the table of clusters. */
  cluster: z.string().nullable(),
  month: z.string().nullable(),
  rows: z.number(),
  bytes: z.number(),
  /** Digest of the file's bytes, as `sha256sum` prints it. */
  sha256: z.string(),
  /** True when the month is over and no row of the file can change any more. */
  complete: z.boolean(),
  /** The key of the snapshot in `snapshots`. */
  snapshot: z.string(),
});

/** A file of the export. */
export type ExportedFile = z.infer<typeof FILE>;

const SNAPSHOT = z.object({
  /** The offset of the first record that the tables did not have yet, by partition of the ledger. */
  positions: z.array(z.object({ partition: z.number(), nextOffset: z.string() })),
  /** Jobs that were deleted before this instant are missing; null when no Jobs are missing. */
  horizon: z.string().nullable(),
  /** Events before this instant are missing; null when no events are missing. */
  eventsFrom: z.string().nullable(),
});

/** The state of the ledger in which the tables were read. */
export type Snapshot = z.infer<typeof SNAPSHOT>;

const TABLE = z.object({
  about: z.string(),
  columns: z.array(z.object({ name: z.string(), type: z.string(), parquet: z.string(), about: z.string() })),
});

/** The description of a table or view in the manifest. */
export type DescribedTable = z.infer<typeof TABLE>;

const MANIFEST = z.object({
  format: z.literal(FORMAT),
  ledger: z.object({ topic: z.string(), kafkaCluster: z.string().nullable() }),
  /** The key of the first snapshot of an export that has not ended; null when the last export has ended. */
  unfinishedSince: z.string().nullable(),
  tables: z.record(z.string(), TABLE),
  /** By the instant of the snapshot: a file has every event that the ledger had at this instant. */
  snapshots: z.record(z.string(), SNAPSHOT),
  files: z.array(FILE),
});

/** The contents of an export, in its file `manifest.json`. */
export type TablesManifest = z.infer<typeof MANIFEST>;

/** The name of the manifest in the directory of an export. */
export const MANIFEST_NAME = 'manifest.json';

/** The manifest of an export without files. */
export function emptyManifest(ledger: TablesManifest['ledger']): TablesManifest {
  return { format: FORMAT, ledger, unfinishedSince: null, tables: {}, snapshots: {}, files: [] };
}

/** Reads the manifest of a directory; null if the directory has none. @throws InputError for any other file of that name. */
export function readManifest(directory: string): TablesManifest | null {
  const path = join(directory, MANIFEST_NAME);
  if (!existsSync(path)) return null;
  try {
    return MANIFEST.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : errorMessage(error);
    throw new InputError(
      `${path} is not the manifest of an export of this version; give another directory as --out: ${reason.replaceAll(/\s+/g, ' ')}`,
    );
  }
}

/** True when a file of the export exists with the digest of the manifest. */
export async function isIntact(directory: string, { path, sha256 }: ExportedFile): Promise<boolean> {
  const file = join(directory, path);
  if (!existsSync(file)) return false;
  return (await fileDigest(file)) === sha256;
}
