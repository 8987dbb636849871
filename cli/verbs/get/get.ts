import type { Command } from 'commander';
import { InputError } from '../../../services/adapters/errors.ts';
import type { WantedJob } from '../../../services/read-model/queries/find-job.ts';
import type { CronJobView } from '../../../services/read-model/views/cron-jobs.ts';
import type { JobView } from '../../../services/read-model/views/jobs.ts';
import { eachFound } from '../../each-found.ts';
import {
  kindNamed,
  PODS_ADVICE,
  STREAM_ARGUMENT,
  wantedStream,
  type ArgumentKind,
} from '../../job-argument.ts';
import type { RowSource } from '../../sources/row-source.ts';
import { getOptions, requireListOptions, toFilter, wantedJobs, type GetOptions } from './get-options.ts';
import { printGroups } from './groups.ts';
import { orUnknownCluster } from './known-cluster.ts';
import { readMembers, printMembers, type MembersOfJob } from './members.ts';
import { createPrinter, emptyListText, printRows } from './print-rows.ts';
import type { Format } from './row-printer.ts';

export function registerGet(program: Command): void {
  const command = program
    .command('get')
    .description(
      'list Jobs or, as "cronjobs", CronJobs with their present state, or show those of these names',
    )
    .argument('[names...]', `"jobs" (the default) or "cronjobs" for lists; ${STREAM_ARGUMENT}`);
  getOptions(command).action(get);
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
