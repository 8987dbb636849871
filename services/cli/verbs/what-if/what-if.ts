import type { Command } from 'commander';
import type { JobEvent } from '../../../../workflows/job/events.ts';
import type { PolicyChange } from '../../../../workflows/history/what-if/types.ts';
import { whatIf } from '../../../../workflows/history/what-if/what-if.ts';
import { InputError } from '../../../adapters/errors.ts';
import { findJob, fullName } from '../../../read-model/find-job.ts';
import { drivenJobs, type JobView } from '../../../read-model/jobs.ts';
import { streamOf } from '../../../read-model/stream.ts';
import { requireAnswer } from '../../answered.ts';
import { JOB_ARGUMENT, jobOptions, wantedJob, type JobOptions } from '../../job-argument.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { outputOption, write, writeJson, type OutputOption } from '../../output.ts';
import { whatIfText, type Weighed } from './what-if-text.ts';
import { policyChange } from './policy-change.ts';
import { withDatabase } from '../../with-database.ts';

interface WhatIfOptions extends JobOptions, StateDirOption, OutputOption {
  readonly all: boolean;
  readonly set: readonly string[];
  readonly setFile: readonly string[];
}

export function registerWhatIf(program: Command): void {
  const command = program
    .command('what-if')
    .description(
      'ask of the same facts under another policy: which Jobs would have ended otherwise, and when',
    )
    .argument('[job]', JOB_ARGUMENT)
    .option('--all', 'every Job that Jobledger ever decided about', false)
    .option(
      '--set <path=value>',
      'another value of the spec, as in spec.backoffLimit=3; null takes it away',
      listed,
      [],
    )
    .option(
      '--set-file <path=file>',
      'the same from a file of YAML or JSON, as in podFailurePolicy=policy.yaml',
      listed,
      [],
    );
  stateDirOption(outputOption(jobOptions(command), 'print what was found as JSON')).action(ask);
}

async function ask(argument: string | undefined, options: WhatIfOptions): Promise<void> {
  if (options.all === (argument !== undefined)) throw new InputError('name the Job, or say --all');
  const change = policyChange(options.set, options.setFile);
  const weighed = await withDatabase(options, async (run) => {
    const jobs =
      argument === undefined
        ? await run<JobView>(drivenJobs(options))
        : [await findJob(run, wantedJob(argument, options))];
    const found: Weighed[] = [];
    for (const job of jobs) found.push(weigh(job, await streamOf(run, job), change));
    return found;
  });
  const [only] = weighed;
  if (argument !== undefined && only !== undefined) requireAnswer(only.answer, `Job ${only.job}`);
  if (options.output === 'json') writeJson({ change, jobs: weighed });
  else write(whatIfText(weighed));
}

function weigh(job: JobView, stream: readonly JobEvent[], change: PolicyChange): Weighed {
  return { job: fullName(job), answer: whatIf(stream, change) };
}

function listed(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}
