import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { InputError } from '../adapters/errors.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { readExtents, scan } from '../adapters/kafka/scan.ts';
import { PACKAGE_DIR } from '../adapters/process/package-dir.ts';
import {
  readInstallationRecords,
  writeInstallationRecord,
  type InstallationRecords,
} from './installation-records.ts';

/*
 * Before the first release, every commit has core 1, feature level 1 and one migration, so numbers do not distinguish their formats.
 * The program that begins a ledger, a schema or a state directory therefore records a stamp, a digest of the formats;
 * programs with another stamp refuse it.
 */

/**
 * The stamp of the first release, which `npm run release -- --dry-run` prints; null before the first release. Every
 * later version records and accepts this stamp, even if its own formats differ, because cores, feature levels and
 * migrations make upgrades possible after the first release.
 */
export const FIRST_RELEASE: string | null = null;

/**
 * The files that determine the formats: the cores, the table of events, the records that services share, the records
 * of the live set, the events and recorded fields of an object, the schema and its rows. Files that only read the
 * ledger are left out, and so is this file, which gets the stamp of the first release.
 */
const FORMATS = [
  'workflows',
  'services/adapters/events',
  'services/audit-log',
  'services/consumers',
  'services/ingester/live-set',
  'services/ingester/recovery',
  'services/ingester/redaction',
  'services/ingester/translate',
  'services/installation',
  'services/live-topic',
  'services/projector/migrations',
  'services/projector/projections',
  'services/requests',
  'services/shards',
];
const LEFT_OUT = ['workflows/history/', 'workflows/cores/released/', 'services/installation/stamp.ts'];

/** The value is set by infra/compile.mjs, because an image has no sources. */
declare const COMPILED_STAMP: string | undefined;

const KEY = 'stamp';

let ofSources: string | null = null;

/** The stamp of this version. */
export function ownStamp(): string {
  if (FIRST_RELEASE !== null) return FIRST_RELEASE;
  if (typeof COMPILED_STAMP === 'string') return COMPILED_STAMP;
  return (ofSources ??= stampOfSources(PACKAGE_DIR));
}

/**
 * The digest of a source tree's formats. The digest is the same on every machine, because it does not depend on paths
 * and line endings.
 */
export function stampOfSources(root: string): string {
  const hash = createHash('sha256');
  for (const name of FORMATS.flatMap((folder) => filesIn(root, folder)).toSorted())
    hash.update(`${name}\n${readFileSync(join(root, name), 'utf8').replaceAll('\r\n', '\n')}\0`);
  return hash.digest('hex').slice(0, 16);
}

function filesIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll(sep, '/')}`)
    .filter((name) => /\.(ts|sql)$/.test(name) && !LEFT_OUT.some((each) => name.startsWith(each)));
}

/** The error for data that another unreleased version has written. */
export class OtherVersionError extends InputError {
  override readonly name = 'OtherVersionError';
}

/** @throws OtherVersionError unless `found`, the stamp of existing data, is the stamp of this version. */
export function requireOwnStamp(what: string, found: string | null): void {
  if (found === ownStamp()) return;
  throw new OtherVersionError(
    `${what} was written by another unreleased version of Jobledger: begin with a new state directory, or with empty servers, and first run "jobledger admin export" of that version if you want to keep its data`,
  );
}

/**
 * Checks the stamp for a program that writes to the ledger, and records the stamp if the ledger is new. If several
 * versions begin at the same time, the first version gets the ledger. @throws InputError when another version has begun
 * the ledger; UnavailableError when Kafka does not answer.
 */
export async function stampLedger(connection: KafkaConnection, records?: InstallationRecords): Promise<void> {
  if (await isStamped(connection, records)) return;
  await writeInstallationRecord(connection, KEY, ownStamp());
  const first = await firstStamp(connection);
  // The topic is compacted, so the record of the first version must be written again.
  if (first !== ownStamp()) await writeInstallationRecord(connection, KEY, first);
  requireOwnStamp(ledgerName(connection), first);
}

/** Checks the stamp for a program that only reads the ledger. @throws the errors of `stampLedger`. */
export async function requireOwnLedger(
  connection: KafkaConnection,
  records?: InstallationRecords,
): Promise<void> {
  await isStamped(connection, records);
}

/**
 * True when the ledger has the stamp of this version; false for a new ledger.
 * @throws InputError when the ledger has another stamp, or has records but no stamp.
 */
async function isStamped(connection: KafkaConnection, records?: InstallationRecords): Promise<boolean> {
  let found = stampIn(records ?? (await readInstallationRecords(connection)));
  if (found === null) {
    // After the first release, the stamp of a ledger with records is missing only when the topic was lost.
    if (FIRST_RELEASE !== null || (await isLedgerEmpty(connection))) return false;
    // Another process may have recorded the stamp of a new ledger, and then written the first record.
    found = stampIn(await readInstallationRecords(connection));
  }
  requireOwnStamp(ledgerName(connection), found);
  return true;
}

async function isLedgerEmpty(connection: KafkaConnection): Promise<boolean> {
  const extents = await readExtents(connection, connection.topics.ledger);
  return [...extents.values()].every(({ end }) => end === 0n);
}

function stampIn(records: InstallationRecords): string | null {
  return withoutQuotes(records.get(KEY) ?? null);
}

async function firstStamp(connection: KafkaConnection): Promise<string | null> {
  let first: string | null = null;
  await scan(connection, connection.topics.features, ({ key, value }) => {
    if (key === KEY) first ??= withoutQuotes(String(value));
  });
  return first;
}

/** The stamp in a JSON string; any other text counts as another stamp. */
function withoutQuotes(text: string | null): string | null {
  return text?.replaceAll('"', '') ?? null;
}

function ledgerName({ topics }: KafkaConnection): string {
  return `the ledger ${topics.ledger}`;
}
