import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { errorMessage, InputError } from '../../../../services/adapters/errors.ts';
import { makeDirectory } from '../../../../services/adapters/make-directory.ts';
import type { Run } from '../../../../services/adapters/postgres/database.ts';
import { sql } from '../../../../services/adapters/postgres/statement.ts';
import { emptyManifest, MANIFEST_NAME, readManifest, type TablesManifest } from './manifest.ts';

const UNFINISHED = '.unfinished';

/** The directory of an export. */
export interface ExportDirectory {
  path: string;
  /** A directory for files that are not complete yet. A reader of the tables does not look into it. */
  unfinished: string;
}

/** Makes the directory of an export, if it is missing. @throws InputError if it cannot be written, or has files of something else. */
export function openDirectory(path: string): ExportDirectory {
  let entries: string[];
  try {
    makeDirectory(path);
    accessSync(path, constants.W_OK);
    entries = readdirSync(path).filter((name) => name !== UNFINISHED);
  } catch (error) {
    throw new InputError(`--out ${path} cannot be written: ${errorMessage(error)}`);
  }
  if (entries.length > 0 && !entries.includes(MANIFEST_NAME))
    throw new InputError(
      `--out ${path} has files, but no ${MANIFEST_NAME} of an export: give a new or an empty directory`,
    );
  const real = realpathSync(path);
  return { path: real, unfinished: join(real, UNFINISHED) };
}

/** The manifest of the directory, or an empty one. @throws InputError if the directory has an export of another ledger. */
export function openManifest(
  { path }: ExportDirectory,
  { topic, kafkaCluster }: TablesManifest['ledger'],
): TablesManifest {
  const found = readManifest(path);
  if (found === null) return emptyManifest({ topic, kafkaCluster });
  const { ledger } = found;
  if (ledger.topic === topic && ledger.kafkaCluster === kafkaCluster) return found;
  throw new InputError(
    `--out ${path} has an export of another ledger (topic ${ledger.topic}, Kafka cluster ${ledger.kafkaCluster ?? 'unknown'}), but this ledger is the topic ${topic} of the Kafka cluster ${kafkaCluster ?? 'unknown'}: give another directory`,
  );
}

/** Replaces the manifest in one step. @throws InputError if it cannot be written. */
export function writeManifest({ path, unfinished }: ExportDirectory, manifest: TablesManifest): void {
  const draft = join(unfinished, MANIFEST_NAME);
  try {
    writeFileSync(draft, `${JSON.stringify(manifest, null, 1)}\n`);
    renameSync(draft, join(path, MANIFEST_NAME));
  } catch (error) {
    throw new InputError(`${join(path, MANIFEST_NAME)} cannot be written: ${errorMessage(error)}`);
  }
}

/** Takes the directory for the session until the session ends, and removes what an interrupted export left. @throws InputError while another export has it. */
export async function lockDirectory({ path, unfinished }: ExportDirectory, run: Run): Promise<void> {
  const name = `jobledger export ${path}`;
  const [found] = await run<{ locked: boolean }>(
    sql`select pg_try_advisory_lock(hashtextextended(${name}, 0)) as locked`,
  );
  if (found?.locked !== true)
    throw new InputError(
      `another export writes to ${path}: wait until it has ended, or give another directory`,
    );
  discardUnfinished({ unfinished });
  mkdirSync(unfinished);
}

/** Removes the files that are not complete. */
export function discardUnfinished({ unfinished }: Pick<ExportDirectory, 'unfinished'>): void {
  rmSync(unfinished, { recursive: true, force: true });
}
