import type { CronJobView } from '../../../services/read-model/views/cron-jobs.ts';
import { fullName } from '../../../services/read-model/views/full-name.ts';
import type { JobView } from '../../../services/read-model/views/jobs.ts';
import { report } from '../../output.ts';
import { isColoured, statusPaint } from '../../print/colour.ts';
import { growingTable } from '../../print/table.ts';
import type { RowSource } from '../../sources/row-source.ts';
import { withRows } from '../../sources/with-rows.ts';
import { stopRequest } from '../../stop-request.ts';
import { cronJobCells, cronJobTitles } from './cron-job-table.ts';
import type { GetOptions } from './get-options.ts';
import { jobCells, jobTitles } from './job-table.ts';
import { rowPrinter, type PrintRows } from './row-printer.ts';

type Kind = 'Jobs' | 'CronJobs';
type View = JobView | CronJobView;

interface Shown<V extends View> {
  printer: PrintRows<V>;
  read: (rows: RowSource) => Promise<V[]>;
  /** Reads a row again, also when its object is deleted. */
  again: (rows: RowSource, row: V) => Promise<V>;
  /** The result is a single object, not a list with one object. */
  isOne: boolean;
}

/** Prints the rows that `read` finds, up to the limit; with `--watch`, also their changes. */
export async function printRows<V extends View>(options: GetOptions, what: Shown<V>): Promise<void> {
  if (options.watch) return printChanges(options, what);
  const { printer, read, isOne } = what;
  const found = await withRows(options, read);
  const rows = found.slice(0, options.limit);
  await (isOne ? printer.one(found[0] as V) : printer.all(rows));
  if (found.length > rows.length) report(`more than ${rows.length} match; --limit shows more`);
}

/** Prints every row, then each row that differs from its last print; prints a deleted row one last time. */
async function printChanges<V extends View>(
  options: GetOptions,
  { printer, read, again }: Shown<V>,
): Promise<void> {
  const { cluster, namespace } = options;
  const last = new Map<string, V>();
  // The import is only here, because it loads the schemas of the API's stream.
  const { lookUntil } = await import('../../sources/look-until.ts');
  return lookUntil(options, { cluster, namespace }, { signal: stopRequest() }, async (rows) => {
    const found = (await read(rows)).slice(0, options.limit);
    const listed = new Set(found.map(rowKey));
    const gone = [...last.values()].filter((row) => !listed.has(rowKey(row)));
    const deleted: V[] = [];
    for (const row of gone) {
      const present = await again(rows, row);
      last.delete(rowKey(row));
      if (present.deleted_at !== null) deleted.push(present);
    }
    const changed = found.filter((row) => {
      const before = last.get(rowKey(row));
      return before === undefined || printer.content(before) !== printer.content(row);
    });
    for (const row of changed) last.set(rowKey(row), row);
    await printer.more([...deleted, ...changed]);
    // The reader of the output may have closed it, as `head` does.
    return !process.stdout.writable;
  });
}

function rowKey({ cluster, uid }: View): string {
  return JSON.stringify([cluster, uid]);
}

/** The printer of the rows of one kind, in the format of the options. */
export function createPrinter<V extends View>(options: GetOptions, kind: Kind): PrintRows<V> {
  const { output } = options;
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
    none: emptyListText(kind, options),
  });
}

/** The text for an empty list. CronJobs are listed without the filters of Jobs. */
export function emptyListText(
  kind: Kind,
  { deleted, selector, status, since, namespace, cluster }: GetOptions,
): string {
  const isFiltered = [selector, status, since, namespace, cluster].some((each) => each !== undefined);
  const none = `no ${kind}${isFiltered ? ' match' : ''}${deleted ? '' : '; --deleted lists deleted ones too'}`;
  return kind === 'Jobs' ? none : `${none}; ${CRON_JOBS_RECORDED}`;
}

const CRON_JOBS_RECORDED =
  'CronJobs are recorded where Jobledger replaces their controller (jobledger up --controllers job,cronjob)';
