import { say } from '../../output.ts';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { InputError } from '../../../services/adapters/errors.ts';
import type { CronJobView, JobView } from '../../../services/read-model/views.ts';
import { fullName } from '../../../services/read-model/find-job.ts';
import type { JobFilter } from '../../../services/read-model/jobs.ts';
import { jobOptions, STREAM_ARGUMENT, wantedStream, type JobOptions } from '../../job-argument.ts';
import { isColoured, statusPaint } from '../../print/colour.ts';
import { growingTable } from '../../print/table.ts';
import { connectionOptions, type ConnectionOptions } from '../../server/connection-options.ts';
import { lookUntil } from '../../sources/look-until.ts';
import type { RowSource } from '../../sources/row-source.ts';
import { withRows } from '../../sources/with-rows.ts';
import { stopRequest } from '../../stop-request.ts';
import { cronJobCells, cronJobTitles } from './cron-job-table.ts';
import { jobCells, jobTitles } from './job-table.ts';
import { rowPrinter, type Format, type PrintRows } from './row-printer.ts';

interface GetOptions extends JobOptions, ConnectionOptions {
  readonly allNamespaces: boolean;
  readonly label?: Readonly<Record<string, string>>;
  readonly watch: boolean;
  readonly deleted: boolean;
  readonly limit: number;
  readonly output?: Format;
}

export function registerGet(program: Command): void {
  const command = program
    .command('get')
    .description('list Jobs or, as "cronjobs", CronJobs with their present status, or show one')
    .argument('[job]', `${STREAM_ARGUMENT}; cronjobs for all CronJobs`)
    .option('-A, --all-namespaces', 'list all namespaces (the default)', false)
    .option(
      '-l, --label <name=value>',
      'list those with this label; separate several by commas, or repeat the option',
      labels,
    )
    .option('-w, --watch', 'keep running, and print changes', false)
    .option('--deleted', 'also list deleted ones', false)
    .option('--limit <count>', 'list at most this many, the newest Jobs first', atLeastOne, 500)
    .addOption(
      new Option('-o, --output <format>', 'wide: more columns; name: the names only').choices([
        'wide',
        'yaml',
        'json',
        'name',
      ]),
    );
  connectionOptions(jobOptions(command)).action(get);
}

async function get(argument: string | undefined, options: GetOptions): Promise<void> {
  if (options.allNamespaces && options.namespace !== undefined)
    throw new InputError('give either --all-namespaces or --namespace');
  const isOne = argument !== undefined && argument !== 'cronjobs';
  if (isOne && (options.allNamespaces || options.label !== undefined))
    throw new InputError('--all-namespaces and --label are for lists: leave out the name');
  const wanted = isOne ? wantedStream(argument, options) : null;
  if (argument === 'cronjobs' || wanted?.kind === 'cronjob')
    return shown(options, {
      printer: printerOf<CronJobView>(options, 'CronJobs'),
      read: async (rows) =>
        wanted === null ? rows.cronJobs(filterOf(options)) : [await rows.cronJob(wanted)],
      again: (rows, row) => rows.cronJob(row),
      isOne,
    });
  return shown(options, {
    printer: printerOf<JobView>(options, 'Jobs'),
    read: async (rows) => (wanted === null ? rows.jobs(filterOf(options)) : [await rows.job(wanted)]),
    again: (rows, row) => rows.job(row),
    isOne,
  });
}

type Kind = 'Jobs' | 'CronJobs';
type View = JobView | CronJobView;

function printerOf<V extends View>({ output }: GetOptions, kind: Kind): PrintRows<V> {
  const isWide = output === 'wide';
  const paint = statusPaint(isColoured(process.stdout, process.env));
  const isJobs = kind === 'Jobs';
  const table = growingTable(isJobs ? jobTitles(isWide) : cronJobTitles(isWide), (cell, title) =>
    title === 'STATUS' ? paint(cell) : cell,
  );
  const cells = (row: V, now: number): string[] =>
    'schedule' in row ? cronJobCells(row, now, isWide) : jobCells(row, now, isWide);
  return rowPrinter<V>(output, {
    table: (rows, now) => table.lines(rows.map((row) => cells(row, now))),
    name: (row) => `${isJobs ? '' : 'cronjob/'}${fullName(row)}`,
    // Every span to now is 0 at time 0.
    key: (row) => JSON.stringify(cells(row, 0)),
    none: `no ${kind}`,
  });
}

function filterOf({ namespace, cluster, label, deleted, limit }: GetOptions): JobFilter {
  return { namespace, cluster, ...(label !== undefined && { labels: label }), deleted, limit };
}

interface Shown<V extends View> {
  printer: PrintRows<V>;
  read: (rows: RowSource) => Promise<V[]>;
  /** The same one, deleted or not. */
  again: (rows: RowSource, row: V) => Promise<V>;
  /** A single one, not a list of one. */
  isOne: boolean;
}

async function shown<V extends View>(options: GetOptions, what: Shown<V>): Promise<void> {
  if (options.watch) return watched(options, what);
  const { printer, read, isOne } = what;
  const found = await withRows(options, read);
  const rows = found.slice(0, options.limit);
  await (isOne ? printer.one(found[0] as V) : printer.all(rows));
  if (found.length > rows.length) say(`more than ${rows.length} match; --limit shows more`);
}

/** Prints every row, then each row that differs from its last print; prints a deleted row one last time. */
function watched<V extends View>(options: GetOptions, { printer, read, again }: Shown<V>): Promise<void> {
  const { cluster, namespace } = options;
  const last = new Map<string, V>();
  return lookUntil(options, { cluster, namespace }, stopRequest(), async (rows) => {
    const found = (await read(rows)).slice(0, options.limit);
    const listed = new Set(found.map(keyOf));
    const gone = [...last.values()].filter((row) => !listed.has(keyOf(row)));
    const deleted: V[] = [];
    for (const row of gone) {
      const present = await again(rows, row);
      last.delete(keyOf(row));
      if (present.deleted_at !== null) deleted.push(present);
    }
    const changed = found.filter((row) => {
      const before = last.get(keyOf(row));
      return before === undefined || printer.content(before) !== printer.content(row);
    });
    for (const row of changed) last.set(keyOf(row), row);
    await printer.more([...deleted, ...changed]);
    // The reader of the output may have closed it, as `head` does.
    return !process.stdout.writable;
  });
}

function keyOf({ cluster, uid }: View): string {
  return JSON.stringify([cluster, uid]);
}

function labels(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const pairs = text.split(',').map((each) => {
    const [, name, value] = /^([^=\s!]+)==?([^=\s]*)$/.exec(each) ?? [];
    if (name === undefined || value === undefined) throw new InvalidArgumentError('expected name=value[,…]');
    return [name, value] as const;
  });
  return { ...before, ...Object.fromEntries(pairs) };
}

function atLeastOne(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('a whole number from 1');
  return Number(text);
}
