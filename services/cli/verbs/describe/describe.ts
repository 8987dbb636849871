import type { Command } from 'commander';
import {
  cronJobArgument,
  jobOptions,
  STREAM_ARGUMENT,
  wantedJob,
  type JobOptions,
} from '../../job-argument.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { outputOption, write, writeJson, type OutputOption } from '../../output.ts';
import { cronJobDescription } from './cron-job-description.ts';
import { jobDescription } from './job-description.ts';
import { conditionsOf, podsOf } from '../../../read-model/details.ts';
import type { ConditionView, CronJobRunView, PodView } from '../../../read-model/views.ts';
import { findCronJob, runsOfCronJob } from '../../../read-model/cron-jobs.ts';
import { findJob, type WantedJob } from '../../../read-model/find-job.ts';
import { withDatabase } from '../../with-database.ts';

export function registerDescribe(program: Command): void {
  const command = program
    .command('describe')
    .description(
      'show a Job: its status, what it waits for, its conditions over time, and its pods with the reasons; or a CronJob with its last starts',
    )
    .argument('<job>', STREAM_ARGUMENT);
  stateDirOption(outputOption(jobOptions(command), 'print the rows as JSON')).action(describe);
}

async function describe(
  argument: string,
  options: JobOptions & StateDirOption & OutputOption,
): Promise<void> {
  const cronJob = cronJobArgument(argument);
  if (cronJob !== null) return describeCronJob(wantedJob(cronJob, options), options);
  const described = await withDatabase(options, async (run) => {
    const job = await findJob(run, wantedJob(argument, options));
    const conditions = await run<ConditionView>(conditionsOf(job));
    const pods = await run<PodView>(podsOf(job));
    return { job, conditions, pods };
  });
  if (options.output === 'json') writeJson(described);
  else write(jobDescription(described));
}

/** Starts that are shown. */
const RUNS = 20;

async function describeCronJob(wanted: WantedJob, options: StateDirOption & OutputOption): Promise<void> {
  const described = await withDatabase(options, async (run) => {
    const cronJob = await findCronJob(run, wanted);
    return { cronJob, runs: await run<CronJobRunView>(runsOfCronJob(cronJob, RUNS)) };
  });
  if (options.output === 'json') writeJson(described);
  else write(cronJobDescription(described));
}
