import { InvalidArgumentError, type Command } from 'commander';
import { JOB_ARGUMENT, jobOptions, wantedJob, type JobOptions } from '../../job-argument.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { outputOption, write, writeJson, type OutputOption } from '../../output.ts';
import { jobTable } from './job-table.ts';
import { findJob } from '../../../read-model/find-job.ts';
import { listJobs } from '../../../read-model/jobs.ts';
import type { JobView } from '../../../read-model/views.ts';
import { withDatabase } from '../../with-database.ts';

interface GetOptions extends JobOptions, StateDirOption, OutputOption {
  readonly deleted: boolean;
  readonly limit: number;
}

export function registerGet(program: Command): void {
  const command = program
    .command('get')
    .description('list Jobs with their present status, or show one')
    .argument('[job]', JOB_ARGUMENT)
    .option('--deleted', 'also list deleted Jobs', false)
    .option('--limit <count>', 'list at most this many Jobs, newest first', atLeastOne, 500);
  stateDirOption(outputOption(jobOptions(command), 'print the rows as JSON')).action(get);
}

async function get(argument: string | undefined, options: GetOptions): Promise<void> {
  if (argument !== undefined) {
    const job = await withDatabase(options, (run) => findJob(run, wantedJob(argument, options)));
    return options.output === 'json' ? writeJson(job) : write(jobTable([job], Date.now()));
  }
  const found = await withDatabase(options, (run) => run<JobView>(listJobs(options)));
  const jobs = found.slice(0, options.limit);
  if (options.output === 'json') return writeJson(jobs);
  write(jobs.length === 0 ? 'no Jobs' : jobTable(jobs, Date.now()));
  if (found.length > jobs.length)
    process.stderr.write(`only the newest ${jobs.length}; --limit shows more\n`);
}

function atLeastOne(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('a whole number from 1');
  return Number(text);
}
