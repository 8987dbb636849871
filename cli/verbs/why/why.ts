import { InvalidArgumentError, type Command } from 'commander';
import type { Question } from '../../../workflows/history/why/types.ts';
import { why } from '../../../workflows/history/why/why.ts';
import { InputError } from '../../../services/adapters/errors.ts';
import { fullName } from '../../../services/read-model/full-name.ts';
import { requireAnswer } from '../../answered.ts';
import { instantArgument } from '../../instant-option.ts';
import { cronJobArgument, prefixed, showOptions, wantedJob, type ShowOptions } from '../../job-argument.ts';
import { cronJobStream } from '../../cron-job-stream.ts';
import { whyStart } from '../../../workflows/history/why-start/why-start.ts';
import { write } from '../../output.ts';
import { writeJson } from '../../write-json.ts';
import { situationWords } from '../../print/situation.ts';
import { whyText } from './why-text.ts';
import { historyFrom } from '../../sources/streams.ts';
import { withRows } from '../../sources/with-rows.ts';

interface WhyOptions extends ShowOptions {
  readonly decision?: number;
  readonly start?: number;
}

export function registerWhy(program: Command): void {
  const command = program
    .command('why')
    .description(
      'explain a pod, a Job or a start of a CronJob: the chain of causes, from the latest back to the roots, and the waits',
    )
    .argument(
      '<about>',
      'a Job by NAME, pod/NAME or cronjob/NAME; the name may be prefixed with NAMESPACE/ or CLUSTER/NAMESPACE/',
    )
    .option('--decision <number>', 'for a Job: explain each command of this decision', decisionNumber);
  command.option(
    '--start <time>',
    'for a CronJob: explain why the Job of this time of the schedule was created, or created late, or not created',
    instantArgument('--start'),
  );
  showOptions(command, 'print answers, causes and waits as JSON').action(printWhy);
}

async function printWhy(argument: string, options: WhyOptions): Promise<void> {
  const cronJob = cronJobArgument(argument);
  if (cronJob !== null) return printWhyStart(cronJob, options);
  if (options.start !== undefined) throw new InputError('--start needs cronjob/NAME');
  const { kind, rest: name } = prefixed(argument) ?? { kind: 'job', rest: argument };
  if (kind === 'pod' && options.decision !== undefined)
    throw new InputError('--decision is for a Job: give its name, not a pod');
  const wanted = wantedJob(name, options);
  const { job, events } = await withRows(options, async (rows) => {
    const found = kind === 'pod' ? await rows.jobOfPod(wanted) : await rows.job(wanted);
    return { job: found, events: await historyFrom(rows, found) };
  });
  const question: Question =
    kind === 'pod'
      ? { about: 'pod', pod: wanted.name }
      : options.decision === undefined
        ? { about: 'job' }
        : { about: 'decision', number: options.decision };
  const answer = requireAnswer(why(events, question), `Job ${fullName(job)}`);
  if (options.output === 'json') return writeJson(answer);
  write(`${kind === 'pod' ? `Pod ${wanted.name} of ` : ''}Job ${fullName(job)}, uid ${job.uid}`);
  write(`${situationWords(job)}\n`);
  write(whyText(answer));
}

async function printWhyStart(argument: string, options: WhyOptions): Promise<void> {
  const { start, decision, output } = options;
  if (start === undefined || decision !== undefined)
    throw new InputError('cronjob/NAME needs --start <time>, a time of its schedule, and no --decision');
  const { title, events } = await cronJobStream(wantedJob(argument, options), options);
  const answer = requireAnswer(whyStart(events, start), title);
  if (output === 'json') return writeJson(answer);
  write(`${title}, ${answer.about}\n`);
  write(whyText(answer));
}

function decisionNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('a whole number from 1');
  return Number(text);
}
