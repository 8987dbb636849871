import { report } from '../../output.ts';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { InputError, errorMessage } from '../../../services/adapters/errors.ts';
import { GROUPINGS, type Grouping } from '../../../services/read-model/shown/job-lists.ts';
import { JOBS_ORDERS, type JobsOrder } from '../../../services/read-model/shown/job-lists.ts';
import { selectorIn, type Requirement } from '../../../services/read-model/queries/label-selector.ts';
import { STATUSES, type Status } from '../../../services/read-model/shown/statuses.ts';
import type { CronJobView } from '../../../services/read-model/views/cron-jobs.ts';
import type { JobView } from '../../../services/read-model/views/jobs.ts';
import { fullName } from '../../../services/read-model/views/full-name.ts';
import type { WantedJob } from '../../../services/read-model/queries/find-job.ts';
import type { JobFilter } from '../../../services/read-model/queries/jobs.ts';
import { eachFound } from '../../each-found.ts';
import { sinceArgument } from '../../instant-option.ts';
import {
  jobOptions,
  kindNamed,
  PODS_ADVICE,
  STREAM_ARGUMENT,
  wantedStream,
  type ArgumentKind,
  type JobOptions,
} from '../../job-argument.ts';
import { isColoured, statusPaint } from '../../print/colour.ts';
import { growingTable } from '../../print/table.ts';
import { connectionOptions, type ConnectionOptions } from '../../server/connection-options.ts';
import type { JobsWanted, RowSource } from '../../sources/row-source.ts';
import { withRows } from '../../sources/with-rows.ts';
import { stopRequest } from '../../stop-request.ts';
import { cronJobCells, cronJobTitles } from './cron-job-table.ts';
import { printGroups } from './groups.ts';
import { jobCells, jobTitles } from './job-table.ts';
import { orUnknownCluster } from './known-cluster.ts';
import { readMembers, printMembers, type MembersOfJob } from './members.ts';
import { rowPrinter, type Format, type PrintRows } from './row-printer.ts';

interface GetOptions extends JobOptions, ConnectionOptions {
  readonly allNamespaces: boolean;
  readonly selector?: readonly Requirement[];
  readonly status?: readonly Status[];
  readonly sortBy?: JobsOrder;
  readonly since?: number;
  readonly groupBy?: Grouping;
  readonly watch: boolean;
  readonly deleted: boolean;
  readonly members: boolean;
  readonly limit: number;
  readonly output?: Format;
}

export function registerGet(program: Command): void {
  const command = program
    .command('get')
    .description(
      'list Jobs or, as "cronjobs", CronJobs with their present state, or show those of these names',
    )
    .argument('[names...]', `"jobs" (the default) or "cronjobs" for lists; ${STREAM_ARGUMENT}`)
    .option('-A, --all-namespaces', 'list the objects of all namespaces (the default)', false)
    .option(
      '-l, --selector <selector>',
      'list the objects whose labels match, such as "team=a,tier in (web, db),!old"; may be repeated',
      collectRequirements,
    )
    .option(
      '--status <statuses>',
      `list Jobs in these statuses, separated by commas: ${STATUSES.join(', ')}`,
      parseStatuses,
    )
    .addOption(
      new Option('--sort-by <order>', 'the order of Jobs; a minus sign reverses it').choices(JOBS_ORDERS),
    )
    .option(
      '--since <time>',
      'list Jobs that were created since then: 12h or 7d before now, or an instant such as 2026-11-21T20:00:00Z',
      sinceArgument('--since'),
    )
    .addOption(
      new Option('--group-by <property>', 'count the matching Jobs by what they have in common').choices(
        GROUPINGS,
      ),
    )
    .option('-w, --watch', 'keep running, and print changes', false)
    .option('--deleted', 'also list deleted Jobs; for a name, every Job that ever had it', false)
    .option('--members', 'also list the members of placed Jobs, in the clusters where these run', false)
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

async function get(given: readonly string[], options: GetOptions): Promise<void> {
  const { kind, names } = parseArguments(given);
  if (options.allNamespaces && options.namespace !== undefined)
    throw new InputError('give either --all-namespaces or --namespace');
  const isList = names.length === 0;
  requireListOptions(options, kind, isList);
  const wanted = names.map((name) => wantedStream(kind === 'cronjob' ? `cronjob/${name}` : name, options));
  if (options.groupBy !== undefined)
    return printGroups(options, {
      by: options.groupBy,
      wanted: wantedJobs(options),
      none: emptyListText('Jobs', options),
    });
  const kinds = new Set(wanted.map((each) => each.kind ?? 'job'));
  if (kinds.size > 1)
    throw new InputError('give names of Jobs or of CronJobs, not both: their columns differ');
  const isOne = wanted.length === 1;
  let refused: InputError | null = null;
  /** The rows of the names that are found; a watch needs all of them. */
  const ofNames = async <N, T>(each: readonly N[], find: (name: N) => Promise<T>): Promise<T[]> => {
    const { found, error } = await eachFound(each, find);
    if (error !== null && (found.length === 0 || options.watch)) throw error;
    refused = error;
    return found;
  };
  const isAllOfNames = options.deleted && options.uid === undefined;
  if (kinds.has('cronjob') || (isList && kind === 'cronjob')) {
    await printRows(options, {
      printer: createPrinter<CronJobView>(options, 'CronJobs'),
      read: (rows) =>
        isList
          ? orUnknownCluster(rows, options, rows.cronJobs(toFilter(options)))
          : ofNames(wanted, (each) => rows.cronJob(each)),
      again: (rows, row) => rows.cronJob(row),
      isOne,
    });
    return requireAll(refused);
  }
  const members: MembersOfJob[] = [];
  await printRows(options, {
    printer: createPrinter<JobView>(options, 'Jobs'),
    async read(rows) {
      if (isList) return orUnknownCluster(rows, options, rows.jobs(wantedJobs(options)));
      const jobs = (
        await ofNames(wanted, async (each) =>
          isAllOfNames ? jobsNamed(rows, each, options) : [await rows.job(each)],
        )
      ).flat();
      if (!options.watch && isTable(options.output)) members.push(...(await readMembers(rows, jobs)));
      return jobs;
    },
    again: (rows, row) => rows.job(row),
    isOne: isOne && !isAllOfNames,
  });
  printMembers(members);
  requireAll(refused);
}

/** @throws the error about the names that were not found, after the others were printed. */
function requireAll(error: InputError | null): void {
  if (error !== null) throw error;
}

/** Every Job that ever had the name, newest first. @throws InputError when no such Job exists. */
async function jobsNamed(rows: RowSource, wanted: WantedJob, { limit }: GetOptions): Promise<JobView[]> {
  const { cluster, namespace, name } = wanted;
  const found = await rows.jobs({ cluster, namespace, name, deleted: true, limit });
  // The name may be that of a member only, which lists leave out.
  return found.length === 0 ? [await rows.job(wanted)] : found;
}

function isTable(format: Format | undefined): boolean {
  return format === undefined || format === 'wide';
}

/** The kind of a list or of plain names, and the names. @throws InputError for pods. */
function parseArguments(given: readonly string[]): { kind: ArgumentKind; names: readonly string[] } {
  const [first, ...others] = given;
  const kind = first === undefined ? 'job' : kindNamed(first);
  if (kind === 'pod') throw new InputError(PODS_ADVICE);
  return kind === null ? { kind: 'job', names: given } : { kind, names: others };
}

function requireListOptions(options: GetOptions, kind: ArgumentKind, isList: boolean): void {
  const { uid, allNamespaces, selector, status, sortBy, since, groupBy, members } = options;
  if (isList && uid !== undefined) throw new InputError('--uid identifies one Job: also give its name');
  const filters = {
    '--all-namespaces': allNamespaces || undefined,
    '--selector': selector,
    '--status': status,
    '--sort-by': sortBy,
    '--since': since,
    '--group-by': groupBy,
    '--members': members || undefined,
  };
  const used = Object.entries(filters).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
  if (!isList && used.length > 0)
    throw new InputError(`${used.join(' and ')}: for lists only; leave out the names`);
  if (kind === 'cronjob' && (members || (status ?? sortBy ?? since ?? groupBy) !== undefined))
    throw new InputError(
      '--status, --sort-by, --since, --group-by and --members are for Jobs; CronJobs are listed by name',
    );
  if (groupBy !== undefined && (sortBy !== undefined || options.watch))
    throw new InputError('--group-by counts Jobs once: leave out --sort-by and --watch');
}

type Kind = 'Jobs' | 'CronJobs';
type View = JobView | CronJobView;

/** The text for an empty list. CronJobs are listed without the filters of Jobs. */
function emptyListText(
  kind: Kind,
  { deleted, selector, status, since, namespace, cluster }: GetOptions,
): string {
  const isFiltered = [selector, status, since, namespace, cluster].some((each) => each !== undefined);
  const none = `no ${kind}${isFiltered ? ' match' : ''}${deleted ? '' : '; --deleted lists deleted ones too'}`;
  return kind === 'Jobs' ? none : `${none}; ${CRON_JOBS_RECORDED}`;
}

const CRON_JOBS_RECORDED =
  'CronJobs are recorded where Jobledger replaces their controller (jobledger up --controllers job,cronjob)';

function createPrinter<V extends View>(options: GetOptions, kind: Kind): PrintRows<V> {
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

function toFilter({ namespace, cluster, selector, deleted, members, limit }: GetOptions): JobFilter {
  return { namespace, cluster, selector, deleted, members, limit };
}

/** Jobs of the status Deleted are deleted. */
function wantedJobs(options: GetOptions): JobsWanted {
  const deleted = options.deleted || options.status?.includes('Deleted') === true;
  return {
    ...toFilter(options),
    deleted,
    statuses: options.status,
    order: options.sortBy,
    createdFrom: options.since === undefined ? undefined : new Date(options.since).toISOString(),
  };
}

interface Shown<V extends View> {
  printer: PrintRows<V>;
  read: (rows: RowSource) => Promise<V[]>;
  /** Reads a row again, also when its object is deleted. */
  again: (rows: RowSource, row: V) => Promise<V>;
  /** The result is a single object, not a list with one object. */
  isOne: boolean;
}

async function printRows<V extends View>(options: GetOptions, what: Shown<V>): Promise<void> {
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

function collectRequirements(text: string, before: readonly Requirement[] = []): readonly Requirement[] {
  try {
    return [...before, ...selectorIn(text)];
  } catch (error) {
    throw new InvalidArgumentError(errorMessage(error));
  }
}

/** The format may be in upper or lower case. */
function parseStatuses(text: string): readonly Status[] {
  return text.split(',').map((each) => {
    const word = STATUSES.find((status) => status.toLowerCase() === each.trim().toLowerCase());
    if (word === undefined) throw new InvalidArgumentError(`the statuses are ${STATUSES.join(', ')}`);
    return word;
  });
}

function atLeastOne(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('a whole number from 1');
  return Number(text);
}
