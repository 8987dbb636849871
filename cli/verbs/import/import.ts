import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { discardAtStop } from '../../discard-at-stop.ts';
import { ANY } from '../../../services/adapters/places.ts';
import { InputError, errorMessage, UnavailableError } from '../../../services/adapters/errors.ts';
import { createAppender } from '../../../services/adapters/kafka/append.ts';
import type { KafkaConnection } from '../../../services/adapters/kafka/connection.ts';
import { identityRecords } from '../../../services/live-topic/cluster-identity.ts';
import { encodeLiveRecord, readLiveTopic, type LiveRecord } from '../../../services/live-topic/live-topic.ts';
import { levelForWriting } from '../../../services/installation/feature-level.ts';
import { horizonIn } from '../../../services/installation/horizon.ts';
import { readInstallationRecords } from '../../../services/installation/installation-records.ts';
import { readEnds } from '../../../services/adapters/kafka/scan.ts';
import { retry } from '../../../services/adapters/waiting/retry.ts';
import { requireOwnLedger } from '../../../services/installation/stamp.ts';
import { ensureTopics } from '../../../services/adapters/kafka/topics.ts';
import { readCheckedManifest, type ArchiveManifest } from '../../ledger/archive-manifest.ts';
import { appendMissing } from './append-missing.ts';
import { jobsBeforeHorizon, type IsBeforeHorizon } from './before-horizon.ts';
import { compareWithLedger, type ImportComparison } from './comparison.ts';
import { readContent, type Content } from './content.ts';
import { readLines } from '../../ledger/lines.ts';
import { connectLedger, readLedger } from '../../ledger/read-ledger.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { write } from '../../output.ts';
import { countText, countedStreams } from '../../print/counted.ts';

/** The time to wait for Kafka, in milliseconds. */
const LIMIT_MS = 10_000;

interface ImportOptions extends StateDirOption {
  readonly check: boolean;
}

/** Adds the verb `import`. */
export function registerImport(program: Command): void {
  const command = program
    .command('import')
    .description(
      'append an export to the ledger of another installation, whose tables and "verify" then give the same results; first checks the file, and its manifest if it has one; existing events do not change',
    )
    .argument('<file>', 'a file written by "jobledger admin export", compressed or not; - for standard input')
    .option(
      '--check',
      'append nothing; exit with status 1 if the ledger lacks an event of the file, or has the event with other content',
      false,
    );
  stateDirOption(command).action((file: string, options: ImportOptions) =>
    file === '-' ? withTemporaryCopy((kept) => importFile(kept, options)) : importFile(file, options),
  );
}

/** Checks a file, compares it with the ledger, and appends the missing events. */
async function importFile(file: string, options: ImportOptions): Promise<void> {
  const manifest = await readCheckedManifest(file);
  const whole = await readContent(readLines(file));
  requireComplete(file, whole, manifest);
  const connection = connectLedger(options);
  const limit = AbortSignal.timeout(LIMIT_MS);
  if (!options.check) await ensureTopics(connection, limit, 'writer');
  // For a short time, the brokers of a new topic respond that they do not lead it.
  const untilAnswered = { signal: limit, shouldRetry: (error: unknown) => error instanceof UnavailableError };
  await retry(() => readEnds(connection, connection.topics.ledger), untilAnswered);
  const records = await readInstallationRecords(connection);
  await requireOwnLedger(connection, records);
  const level = options.check ? Infinity : await levelForWriting(connection);
  const horizon = options.check ? null : horizonIn(records);
  const { jobs: removed, isBeforeHorizon } = await jobsBeforeHorizon(readLines(file), horizon);
  const content = removed === 0 ? whole : await readContent(readLines(file), isBeforeHorizon);
  requireLevel(content, level);
  const live = await retry(() => readLiveTopic(connection), untilAnswered);
  const comparison = compareWithLedger(content, live);
  await readLedger(connection, comparison.add);
  const missing = comparison.missing(options.check);
  if (missing > 0 && !options.check)
    await appendEvents(connection, { file, content, comparison, live, isBeforeHorizon });
  const total = countEvents(content);
  const about = countedStreams({
    jobs: content.jobs(),
    cronJobs: content.cronJobs(),
    clusters: [...content.clusters().keys()].filter((cluster) => cluster !== ANY).length,
  });
  const left =
    removed === 0 ? '' : `; left out ${countText(removed, 'Job')} that ended before the horizon ${horizon}`;
  write(
    `${countText(missing, 'event')} ${options.check ? 'missing' : 'appended'}, ${total - missing} already present; the file contains ${about}${left}`,
  );
  if (options.check && missing > 0) process.exitCode = 1;
}

/**
 * Requires that the installation has the feature level of the events, because services at a lower level may be unable to read them. @throws
 * InputError.
 */
function requireLevel(content: Content, level: number): void {
  if (content.level() > level)
    throw new InputError(
      `the file has events of feature level ${content.level()}, this installation is at ${level}: upgrade every service, run "jobledger admin upgrade --finalize", and import again`,
    );
}

/** Requires a complete file. @throws InputError if its numbers differ from those of its manifest, or if it has neither a manifest nor events. */
function requireComplete(file: string, content: Content, manifest: ArchiveManifest | null): void {
  if (manifest === null) {
    if (countEvents(content) > 0) return;
    throw new InputError(
      'nothing was imported, because the file is empty: give a file that "jobledger admin export" has written',
    );
  }
  if (content.jobs() !== manifest.jobs)
    throw new InputError(
      `${file} contains ${countText(content.jobs(), 'Job')}, but its manifest says ${manifest.jobs}`,
    );
  if (content.cronJobs() !== manifest.cronJobs)
    throw new InputError(
      `${file} contains ${countText(content.cronJobs(), 'CronJob')}, but its manifest says ${manifest.cronJobs}`,
    );
}

/** The number of events in a file. */
function countEvents(content: Content): number {
  return [...content.clusters().values()].reduce((sum, { events }) => sum + events, 0);
}

interface Import {
  file: string;
  content: Content;
  comparison: ImportComparison;
  live: readonly LiveRecord[];
  isBeforeHorizon: IsBeforeHorizon;
}

/** Appends the identities of new clusters and the missing events. @throws UnavailableError after an interruption. */
async function appendEvents(
  connection: KafkaConnection,
  { file, content, comparison, live, isBeforeHorizon }: Import,
): Promise<void> {
  const appender = await createAppender(connection);
  const { topics } = connection;
  let appended = 0;
  try {
    await appender.write(topics.live, newIdentities(content, live).map(encodeLiveRecord));
    const to = { appender, topic: topics.ledger, isLeftOut: isBeforeHorizon };
    await appendMissing(readLines(file), comparison, to, (events) => {
      appended += events;
    });
  } catch (cause) {
    const advice = `${appended} events were appended; import the file again to continue`;
    throw new UnavailableError(`the import was interrupted: ${errorMessage(cause)}; ${advice}`);
  } finally {
    await appender.close();
  }
}

/** The records with the identities of new clusters, which stop an ingester from connecting another cluster under the same name. */
function newIdentities(content: Content, live: readonly LiveRecord[]): LiveRecord[] {
  const known = new Set(live.filter(({ kind }) => kind === 'identity').map(({ cluster }) => cluster));
  return [...content.clusters()]
    .filter(([cluster]) => !known.has(cluster))
    .flatMap(([cluster, { uids, namespaces }]) =>
      [...uids].slice(-1).flatMap((uid) => identityRecords(cluster, { uid, namespace: namespaces.get(uid) })),
    );
}

/** Copies standard input to a temporary file, because an import reads its input more than once. */
async function withTemporaryCopy(work: (file: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-import-'));
  const file = join(folder, 'lines');
  // Deletes the temporary file.
  const discard = (): void => rmSync(folder, { recursive: true, force: true });
  discardAtStop(discard);
  try {
    await pipeline(process.stdin, createWriteStream(file));
    await work(file);
  } finally {
    discard();
  }
}
