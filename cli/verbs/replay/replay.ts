import { InvalidArgumentError, type Command } from 'commander';
import type { Point } from '../../../workflows/history/replay/point.ts';
import { replaySteps } from '../../../workflows/history/replay/replay-steps.ts';
import { replayTo } from '../../../workflows/history/replay/replay-to.ts';
import { InputError } from '../../../services/adapters/errors.ts';
import { fullName } from '../../../services/read-model/views/full-name.ts';
import { requireAnswer } from '../../answered.ts';
import { instantArgument } from '../../instant-option.ts';
import { showOptions, STREAM_ARGUMENT, wantedStream, type ShowOptions } from '../../job-argument.ts';
import { cronJobStream, type CronJobStream } from '../../cron-job-stream.ts';
import { replayCronJobTo } from '../../../workflows/history/replay/replay-to.ts';
import { write } from '../../output.ts';
import { writeJson } from '../../write-json.ts';
import { cronJobReplayText, jobReplayText, stepText } from './replay-text.ts';
import { streamFrom } from '../../sources/streams.ts';
import { withRows } from '../../sources/with-rows.ts';

interface ReplayOptions extends ShowOptions {
  readonly at?: number;
  readonly until?: string;
  readonly step: boolean;
}

/** Adds the verb `replay`. */
export function registerReplay(program: Command): void {
  const command = program
    .command('replay')
    .description(
      'rebuild the state of a Job or CronJob by folding its stream up to an instant or an event, and show it',
    )
    .argument('<job>', STREAM_ARGUMENT)
    .option('--at <time>', 'stop at this instant, for example 2026-11-21T03:12:00Z', instantArgument('--at'))
    .option('--until <event>', 'stop at this event: its id, or the number of a decision', untilArgument)
    .option('--step', 'show each event and its changes', false);
  showOptions(command, 'print the state, or the steps, as JSON').action(replay);
}

/** Prints the state of a Job or CronJob at a point. */
async function replay(argument: string, options: ReplayOptions): Promise<void> {
  const point = toPoint(options);
  const wanted = wantedStream(argument, options);
  if (wanted.kind === 'cronjob') return replayOfCronJob(await cronJobStream(wanted, options), point, options);
  const { job, events } = await withRows(options, async (rows) => {
    const found = await rows.job(wanted);
    return { job: found, events: await streamFrom(rows, found) };
  });
  const about = `Job ${fullName(job)}`;
  const made = options.step
    ? requireAnswer(replaySteps(events, point), about)
    : requireAnswer(replayTo(events, point), about);
  if (options.output === 'json') return writeJson(made);
  write(`${about}, uid ${job.uid}`);
  if (!Array.isArray(made)) write(jobReplayText(made));
  else for (const step of made) write(stepText(step));
}

/** Prints the state of a CronJob at a point. */
function replayOfCronJob(
  { title, events }: CronJobStream,
  point: Point,
  { step, output }: ReplayOptions,
): void {
  const made = step
    ? requireAnswer(replaySteps(events, point), title)
    : requireAnswer(replayCronJobTo(events, point), title);
  if (output === 'json') return writeJson(made);
  write(title);
  if (!Array.isArray(made)) write(cronJobReplayText(made));
  else for (const each of made) write(stepText(each));
}

/** Parses an event, given by its id or as the number of a decision. */
function untilArgument(text: string): string {
  const isNumber = text.trim() !== '' && !Number.isNaN(Number(text));
  if (text.trim() === '' || (isNumber && !/^[1-9]\d*$/.test(text)))
    throw new InvalidArgumentError('expected the id of an event, or the number of a decision, 1 or more');
  return text;
}

/** The point of the options `--at` and `--until`; the end of the stream without them. @throws InputError if both are given. */
function toPoint({ at, until }: ReplayOptions): Point {
  if (at !== undefined && until !== undefined) throw new InputError('give either --at or --until');
  if (at !== undefined) return { at };
  return until === undefined ? 'end' : { until };
}
