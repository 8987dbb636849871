import type { Command } from 'commander';
import {
  cronJobArgument,
  jobOptions,
  STREAM_ARGUMENT,
  wantedJob,
  type JobOptions,
} from '../../job-argument.ts';
import { connectionOptions, type ConnectionOptions } from '../../server/connection-options.ts';
import { outputOption, write, type OutputOption } from '../../output.ts';
import { writeJson } from '../../write-json.ts';
import { cronJobDescription } from './cron-job-description.ts';
import { jobDescription } from './job-description.ts';
import type { WantedJob } from '../../../services/read-model/find-job.ts';
import { withRows } from '../../sources/with-rows.ts';

export function registerDescribe(program: Command): void {
  const command = program
    .command('describe')
    .description(
      'show a Job: its status, its reason to wait, its conditions over time, and its pods with the reasons; or a CronJob with its last starts',
    )
    .argument('<job>', STREAM_ARGUMENT);
  connectionOptions(outputOption(jobOptions(command), 'print the rows as JSON')).action(describe);
}

async function describe(
  argument: string,
  options: JobOptions & ConnectionOptions & OutputOption,
): Promise<void> {
  const cronJob = cronJobArgument(argument);
  if (cronJob !== null) return describeCronJob(wantedJob(cronJob, options), options);
  const described = await withRows(options, async (rows) => {
    const job = await rows.job(wantedJob(argument, options));
    return {
      job,
      submission: (await rows.submission(job))?.data ?? null,
      conditions: await rows.conditions(job),
      chain: await rows.chain(job),
      pods: await rows.pods(job),
    };
  });
  if (options.output === 'json') writeJson(described);
  else write(jobDescription(described));
}

/** The most starts shown. */
const RUNS = 20;

async function describeCronJob(wanted: WantedJob, options: ConnectionOptions & OutputOption): Promise<void> {
  const described = await withRows(options, async (rows) => {
    const cronJob = await rows.cronJob(wanted);
    return { cronJob, runs: await rows.starts(cronJob, RUNS) };
  });
  if (options.output === 'json') writeJson(described);
  else write(cronJobDescription(described));
}
