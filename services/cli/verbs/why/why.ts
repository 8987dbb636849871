import { InvalidArgumentError, type Command } from 'commander';
import type { Question } from '../../../../workflows/history/why/types.ts';
import { why } from '../../../../workflows/history/why/why.ts';
import { InputError } from '../../../adapters/errors.ts';
import type { Run } from '../../../adapters/postgres/database.ts';
import { findJob, fullName } from '../../../read-model/find-job.ts';
import { findJobOfPod } from '../../../read-model/find-pod.ts';
import type { JobView } from '../../../read-model/views.ts';
import { historyOf } from '../../../read-model/stream.ts';
import { requireAnswer } from '../../answered.ts';
import { jobOptions, wantedJob, type JobOptions } from '../../job-argument.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { outputOption, write, writeJson, type OutputOption } from '../../output.ts';
import { whyText } from './why-text.ts';
import { withDatabase } from '../../with-database.ts';

interface WhyOptions extends JobOptions, StateDirOption, OutputOption {
  readonly decision?: number;
}

export function registerWhy(program: Command): void {
  const command = program
    .command('why')
    .description(
      'explain a pod or a Job: the chain of causes, from the latest back to the roots, and what was not done meanwhile',
    )
    .argument(
      '<about>',
      'pod/NAME or job/NAME; the name may be prefixed with NAMESPACE/ or CLUSTER/NAMESPACE/',
    )
    .option('--decision <number>', 'for a Job: why each command of this decision was issued', decisionNumber);
  stateDirOption(outputOption(jobOptions(command), 'print answers, causes and waits as JSON')).action(
    printWhy,
  );
}

async function printWhy(argument: string, options: WhyOptions): Promise<void> {
  const [, kind, name = ''] = /^(pod|job)\/(.*)$/s.exec(argument) ?? [];
  if (kind === undefined) throw new InputError(`"${argument}": expected pod/NAME or job/NAME`);
  if (kind === 'pod' && options.decision !== undefined) throw new InputError('--decision needs job/NAME');
  const wanted = wantedJob(name, options);
  const { job, events } = await withDatabase(options, async (run: Run) => {
    const found: JobView = kind === 'pod' ? await findJobOfPod(run, wanted) : await findJob(run, wanted);
    return { job: found, events: await historyOf(run, found) };
  });
  const question: Question =
    kind === 'pod'
      ? { about: 'pod', pod: wanted.name }
      : options.decision === undefined
        ? { about: 'job' }
        : { about: 'decision', number: options.decision };
  const answer = requireAnswer(why(events, question), `Job ${fullName(job)}`);
  if (options.output === 'json') return writeJson(answer);
  write(`${kind === 'pod' ? `Pod ${wanted.name} of ` : ''}Job ${fullName(job)}, uid ${job.uid}\n`);
  write(whyText(answer));
}

function decisionNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('a whole number from 1');
  return Number(text);
}
