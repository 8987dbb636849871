import { InvalidArgumentError, type Command } from 'commander';
import {
  cronJobArgument,
  jobOptions,
  STREAM_ARGUMENT,
  wantedJob,
  type JobOptions,
} from '../../job-argument.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { outputOption, write, writeJson, type OutputOption } from '../../output.ts';
import { cronJobTable } from './cron-job-table.ts';
import { jobTable } from './job-table.ts';
import { findJob } from '../../../read-model/find-job.ts';
import { listJobs } from '../../../read-model/jobs.ts';
import { findCronJob, listCronJobs } from '../../../read-model/cron-jobs.ts';
import type { CronJobView, JobView } from '../../../read-model/views.ts';
import { withDatabase } from '../../with-database.ts';

interface GetOptions extends JobOptions, StateDirOption, OutputOption {
  readonly deleted: boolean;
  readonly limit: number;
}

export function registerGet(program: Command): void {
  const command = program
    .command('get')
    .description('list Jobs or, as "cronjobs", CronJobs with their present status, or show one')
    .argument('[job]', `${STREAM_ARGUMENT}; cronjobs for all CronJobs`)
    .option('--deleted', 'also list deleted ones', false)
    .option('--limit <count>', 'list at most this many, the newest Jobs first', atLeastOne, 500);
  stateDirOption(outputOption(jobOptions(command), 'print the rows as JSON')).action(get);
}

async function get(argument: string | undefined, options: GetOptions): Promise<void> {
  if (argument === 'cronjobs')
    return listed(
      await withDatabase(options, (run) => run<CronJobView>(listCronJobs(options))),
      cronJobTable,
      'CronJobs',
      options,
    );
  const cronJob = argument === undefined ? null : cronJobArgument(argument);
  if (cronJob !== null) {
    const found = await withDatabase(options, (run) => findCronJob(run, wantedJob(cronJob, options)));
    return options.output === 'json' ? writeJson(found) : write(cronJobTable([found], Date.now()));
  }
  if (argument !== undefined) {
    const job = await withDatabase(options, (run) => findJob(run, wantedJob(argument, options)));
    return options.output === 'json' ? writeJson(job) : write(jobTable([job], Date.now()));
  }
  listed(await withDatabase(options, (run) => run<JobView>(listJobs(options))), jobTable, 'Jobs', options);
}

/** `found` has one row more than the limit when there are more. */
function listed<View>(
  found: readonly View[],
  tableOf: (rows: readonly View[], now: number) => string,
  kind: 'Jobs' | 'CronJobs',
  { limit, output }: GetOptions,
): void {
  const rows = found.slice(0, limit);
  if (output === 'json') return writeJson(rows);
  write(rows.length === 0 ? `no ${kind}` : tableOf(rows, Date.now()));
  if (found.length > rows.length)
    process.stderr.write(
      `only ${kind === 'Jobs' ? 'the newest' : 'the first'} ${rows.length}; --limit shows more\n`,
    );
}

function atLeastOne(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('a whole number from 1');
  return Number(text);
}
