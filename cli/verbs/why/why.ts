import { InvalidArgumentError, type Command } from 'commander';
import {
  membersWithIndex,
  whyIndex,
  type MemberKey,
} from '../../../workflows/history/why-index/why-index.ts';
import type { Question } from '../../../workflows/history/why/types.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { why } from '../../../workflows/history/why/why.ts';
import { printableLine } from '../../../services/adapters/printable.ts';
import { InputError } from '../../../services/adapters/errors.ts';
import { RefusedByApiError } from '../../../services/adapters/http/api-calls.ts';
import type { WantedJob } from '../../../services/read-model/queries/find-job.ts';
import { fullName } from '../../../services/read-model/views/full-name.ts';
import { requireAnswer } from '../../answered.ts';
import { instantArgument } from '../../instant-option.ts';
import {
  cronJobArgument,
  indexArgument,
  splitPrefix,
  showOptions,
  wantedJob,
  type ShowOptions,
} from '../../job-argument.ts';
import { cronJobStream } from '../../cron-job-stream.ts';
import { whyStart } from '../../../workflows/history/why-start/why-start.ts';
import { write } from '../../output.ts';
import { writeJson } from '../../write-json.ts';
import { situationText } from '../../print/situation.ts';
import { whyText } from './why-text.ts';
import type { RowSource } from '../../sources/row-source.ts';
import { historyFrom, streamFrom } from '../../sources/streams.ts';
import { withRows } from '../../sources/with-rows.ts';

interface WhyOptions extends ShowOptions {
  readonly decisionNumber?: number;
  readonly index?: number;
  readonly start?: number;
}

/** Adds the verb `why`. */
export function registerWhy(program: Command): void {
  const command = program
    .command('why')
    .description(
      'explain a pod, a Job, an index of a Job or a start of a CronJob: show the chain of causes, from the latest back to the roots, and the waits',
    )
    .argument(
      '<about>',
      'NAME of a Job, pod/NAME or cronjob/NAME; NAMESPACE/ or CLUSTER/NAMESPACE/ may precede NAME',
    )
    .option(
      '--decision-number <number>',
      'for a Job: explain each command of this decision',
      parseDecisionNumber,
    )
    .option(
      '--index <number>',
      'for an Indexed Job: explain its pods of this index and, if the Job is placed, which clusters had the index and why the index moved',
      indexArgument,
    );
  command.option(
    '--start <time>',
    'for a CronJob: explain why the Job of this scheduled time was created, created late, or not created',
    instantArgument('--start'),
  );
  showOptions(command, 'print answers, causes and waits as JSON').action(printWhy);
}

/** Explains a pod, a Job or a decision; `--index` and `cronjob/NAME` lead to the functions below. */
async function printWhy(argument: string, options: WhyOptions): Promise<void> {
  const cronJob = cronJobArgument(argument);
  if (cronJob !== null) return printWhyStart(cronJob, options);
  if (options.start !== undefined) throw new InputError('--start needs a CronJob: give cronjob/NAME');
  const { kind, rest: name } = splitPrefix(argument) ?? { kind: 'job', rest: argument };
  const { decisionNumber: number, index } = options;
  if (kind === 'pod' && (number !== undefined || index !== undefined))
    throw new InputError('--decision-number and --index need a Job: give the name of a Job instead of a pod');
  if (number !== undefined && index !== undefined)
    throw new InputError('give --decision-number or --index, not both');
  const wanted = wantedJob(name, options);
  if (index !== undefined) return printWhyIndex(wanted, index, options);
  const { job, events } = await withRows(options, async (rows) => {
    const found = kind === 'pod' ? await rows.jobOfPod(wanted) : await rows.job(wanted);
    return { job: found, events: await historyFrom(rows, found) };
  });
  const question: Question =
    kind === 'pod'
      ? { about: 'pod', pod: wanted.name }
      : number === undefined
        ? { about: 'job' }
        : { about: 'decision', number };
  const answer = requireAnswer(why(events, question), `Job ${fullName(job)}`);
  if (options.output === 'json') return writeJson(answer);
  write(`${kind === 'pod' ? `Pod ${wanted.name} of ` : ''}Job ${fullName(job)}, uid ${job.uid}`);
  write(`${kind === 'pod' ? 'The Job: ' : ''}${situationText(job)}\n`);
  write(whyText(answer));
}

/** Explains an index; for a placed Job, also from the streams of the members that could run the index. */
async function printWhyIndex(wanted: WantedJob, index: number, options: WhyOptions): Promise<void> {
  const { job, answer } = await withRows(options, async (rows) => {
    const found = await rows.job(wanted);
    const events = await historyFrom(rows, found);
    const members = new Map<string, JobEvent[]>();
    for (const member of membersWithIndex(events, index))
      members.set(member.uid, await memberStream(rows, member));
    return { job: found, answer: whyIndex(events, index, members) };
  });
  const found = requireAnswer(answer, `Job ${fullName(job)}`);
  if (options.output === 'json') return writeJson(found);
  write(`Index ${index} of Job ${fullName(job)}, uid ${job.uid}`);
  write(`${situationText(job)}\n`);
  write(whyText(found));
}

/** The stream of a member; empty if the API does not show the member, whose cluster the token may not cover. */
async function memberStream(rows: RowSource, member: MemberKey): Promise<JobEvent[]> {
  try {
    return await streamFrom(rows, member);
  } catch (error) {
    if (error instanceof RefusedByApiError && error.kind === 'unknown-job') return [];
    throw error;
  }
}

/** Explains a start of a CronJob. */
async function printWhyStart(argument: string, options: WhyOptions): Promise<void> {
  const { start, decisionNumber: number, index, output } = options;
  if (start === undefined || number !== undefined || index !== undefined)
    throw new InputError(
      `cronjob/NAME needs --start <time>, a time of its schedule, and neither --decision-number nor --index; "jobledger describe ${printableLine(`cronjob/${argument}`)}" lists the times`,
    );
  const { title, events } = await cronJobStream(wantedJob(argument, options), options);
  const answer = requireAnswer(whyStart(events, start, Date.now()), title);
  if (output === 'json') return writeJson(answer);
  write(`${title}, ${answer.about}\n`);
  write(whyText(answer));
}

/** Parses the number of a decision. @throws InvalidArgumentError. */
function parseDecisionNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('expected a whole number, 1 or more');
  return Number(text);
}
