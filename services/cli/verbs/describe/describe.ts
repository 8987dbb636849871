import type { Command } from 'commander';
import { JOB_ARGUMENT, jobOptions, wantedJob, type JobOptions } from '../../job-argument.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { outputOption, write, writeJson, type OutputOption } from '../../output.ts';
import { jobDescription } from './job-description.ts';
import { conditionsOf, podsOf } from '../../../read-model/details.ts';
import type { ConditionView, PodView } from '../../../read-model/views.ts';
import { findJob } from '../../../read-model/find-job.ts';
import { withDatabase } from '../../with-database.ts';

export function registerDescribe(program: Command): void {
  const command = program
    .command('describe')
    .description(
      'show a Job: its status, what it waits for, its conditions over time, and its pods with the reasons',
    )
    .argument('<job>', JOB_ARGUMENT);
  stateDirOption(outputOption(jobOptions(command), 'print the rows as JSON')).action(describe);
}

async function describe(
  argument: string,
  options: JobOptions & StateDirOption & OutputOption,
): Promise<void> {
  const described = await withDatabase(options, async (run) => {
    const job = await findJob(run, wantedJob(argument, options));
    const conditions = await run<ConditionView>(conditionsOf(job));
    const pods = await run<PodView>(podsOf(job));
    return { job, conditions, pods };
  });
  if (options.output === 'json') writeJson(described);
  else write(jobDescription(described));
}
