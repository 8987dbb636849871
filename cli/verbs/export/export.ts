import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { report } from '../../output.ts';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { InputError, errorMessage } from '../../../services/adapters/errors.ts';
import type { KafkaConnection } from '../../../services/adapters/kafka/connection.ts';
import { isDeletionBefore, isInPeriod, type Period } from './period.ts';
import { createSelector, createSelection, type ExportSelection } from './selection.ts';
import { createSpool, type Spool } from './spool.ts';
import { exportTables } from './tables/export-tables.ts';
import { chosenTables, tablesOptions, type TablesArguments } from './tables/tables-options.ts';
import { discardUnfinished, writeExport } from './write-export.ts';
import { discardAtStop } from '../../discard-at-stop.ts';
import { replacedFile } from '../../replaced-file.ts';
import { instantArgument, sinceArgument } from '../../instant-option.ts';
import { jobOptions, STREAM_ARGUMENT, wantedStream, type JobOptions } from '../../job-argument.ts';
import type { ArchiveManifest } from '../../ledger/archive-manifest.ts';
import { openLedger, readLedger } from '../../ledger/read-ledger.ts';
import { createStreams } from '../../ledger/streams.ts';
import { countText, countedStreams } from '../../print/counted.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';

interface ExportOptions extends JobOptions, StateDirOption, TablesArguments {
  readonly since?: number;
  readonly until?: number;
  readonly endedBefore?: number;
  readonly manifest: boolean;
  readonly output?: string;
}

/** Adds the verb `export`. */
export function registerExport(program: Command): void {
  const command = program
    .command('export')
    .description(
      'export the history of the named Jobs and CronJobs, of those of a namespace or with an event in a period, or of all; writes one CloudEvent per line, as in the ledger, and includes the events of their clusters. With --format parquet, export the tables of SQL instead',
    )
    .argument('[jobs...]', STREAM_ARGUMENT)
    .option(
      '--since <time>',
      'select those with an event since then: 12h or 7d before now, or an instant such as 2026-11-21T03:12:00Z',
      sinceArgument('--since'),
    )
    .option(
      '--until <time>',
      'select those with an event before then, given as for --since',
      sinceArgument('--until'),
    )
    .option(
      '--ended-before <time>',
      'select ended Jobs and CronJobs whose objects were deleted from their cluster before this instant',
      instantArgument('--ended-before'),
    )
    .option(
      '--manifest',
      'also write <file>.manifest.json, so that "jobledger admin import" can check the file',
      false,
    )
    .option(
      '-o, --output <file>',
      'a file, created only when the export is complete, and compressed if its name ends with .gz (default: standard output)',
    );
  stateDirOption(tablesOptions(jobOptions(command))).action(exportHistoryOrTables);
}

async function exportHistoryOrTables(names: readonly string[], options: ExportOptions): Promise<void> {
  const tables = chosenTables(names, options);
  await (tables === null ? exportHistory(names, options) : exportTables(tables));
}

/** Selects streams in a first reading of the ledger, and writes their events in a second one. */
async function exportHistory(names: readonly string[], options: ExportOptions): Promise<void> {
  const period = choosePeriod(names, options);
  if (options.manifest && options.output === undefined)
    throw new InputError('--manifest needs the name of a file: --output <file>');
  const spool = spoolIn(spoolFolder(options));
  discardAtStop(() => {
    spool.discard();
    discardUnfinished(options.output);
  });
  try {
    const connection = await openLedger(options);
    const selection = await readSelection(connection, names, options, period);
    let events = 0;
    await readLedger(connection, (event, record) => {
      if (!selection.has(event)) return;
      spool.lay(record);
      events += 1;
    });
    await writeExport(
      spool,
      options.output,
      options.manifest ? manifestFor(selection, events, options) : null,
    );
    const about = countedStreams(selection);
    report(`${countText(events, 'event')} of ${about}`);
  } finally {
    spool.discard();
  }
}

/** The period of the options. @throws InputError if the options contradict each other. */
function choosePeriod(names: readonly string[], options: ExportOptions): Period {
  const { since, until, endedBefore, uid } = options;
  const isPeriod = since !== undefined || until !== undefined;
  if (names.length > 0 && isPeriod)
    throw new InputError('name Jobs or a period, not both: the history of a Job is always exported in full');
  if (endedBefore !== undefined && (names.length > 0 || isPeriod))
    throw new InputError('--ended-before cannot be combined with names, --since or --until');
  if (names.length === 0 && uid !== undefined) throw new InputError('--uid needs the name of a Job');
  const period = {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
  if ((period.since ?? -Infinity) >= (period.until ?? Infinity))
    throw new InputError('--since must be before --until');
  return period;
}

/** Reads the ledger to select the streams to export. */
async function readSelection(
  connection: KafkaConnection,
  names: readonly string[],
  options: ExportOptions,
  period: Period,
): Promise<ExportSelection> {
  const { endedBefore, cluster, namespace } = options;
  if (names.length > 0) {
    const streams = createStreams(
      names.map((name) => wantedStream(name, options)),
      () => ({ add: () => undefined }),
    );
    await readAll(connection, (event) => streams.add(event));
    return createSelection(streams.chosen());
  }
  const selector = createSelector(
    endedBefore === undefined ? isInPeriod(period) : isDeletionBefore(endedBefore),
    {
      cluster,
      namespace,
      isOfJobs: endedBefore !== undefined,
    },
  );
  const clusters = new Set<string>();
  await readAll(connection, (event) => {
    clusters.add(event.data.cluster);
    selector.add(event);
  });
  if (cluster !== undefined && !clusters.has(cluster))
    throw new InputError(`the ledger has no cluster named "${cluster}"`);
  const selection = selector.selection();
  if (namespace !== undefined && selection.clusters === 0)
    throw new InputError(
      `the ledger has no Job or CronJob in a namespace named "${namespace}"${cluster === undefined ? '' : ` in the cluster "${cluster}"`}`,
    );
  return selection;
}

/** Reads the events of the whole ledger, and reports unreadable records. */
async function readAll(connection: KafkaConnection, add: (event: LedgerEvent) => void): Promise<void> {
  const unreadable = await readLedger(connection, add);
  if (unreadable > 0) report(`${unreadable} records of the ledger cannot be read and are left out`);
}

/** The manifest of an export, without the digest of the file. */
function manifestFor(
  { jobs, cronJobs, clusters }: ExportSelection,
  events: number,
  { endedBefore }: ExportOptions,
): Omit<ArchiveManifest, 'sha256'> {
  const before = endedBefore === undefined ? null : new Date(endedBefore).toISOString();
  return { events, jobs, cronJobs, clusters, endedBefore: before, writtenAt: new Date().toISOString() };
}

/** The directory of temporary files is that of the written file, which has room for its content; for a device or a pipe, it is that of the system. */
function spoolFolder({ output, manifest }: ExportOptions): string {
  const replaced = output === undefined ? null : replacedPath(output);
  if (replaced !== null) return dirname(resolve(replaced));
  if (manifest) throw new InputError(`--manifest needs a regular file, but ${output} is none`);
  return tmpdir();
}

/** The path of the file that the export replaces; null for a device or a pipe. @throws InputError. */
function replacedPath(output: string): string | null {
  try {
    return replacedFile(output);
  } catch (error) {
    throw new InputError(`${output} cannot be written: ${errorMessage(error)}`);
  }
}

/** Creates temporary files in a folder. @throws InputError if the folder cannot be written. */
function spoolIn(folder: string): Spool {
  try {
    return createSpool(folder);
  } catch (error) {
    throw new InputError(`cannot write to ${folder}: ${errorMessage(error)}`);
  }
}
