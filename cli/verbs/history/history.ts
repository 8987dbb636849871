import type { Command } from 'commander';
import { encodeEvent } from '../../../services/adapters/events/event-codec.ts';
import { showOptions, STREAM_ARGUMENT, wantedStream, type ShowOptions } from '../../job-argument.ts';
import { cronJobStream, type CronJobStream } from '../../cron-job-stream.ts';
import { effectiveDecisions } from '../../../workflows/decision/folding.ts';
import { write, writePart, type OutputOption } from '../../output.ts';
import type { TimelineLine } from '../../../workflows/history/timeline/line.ts';
import { createNarrator } from '../../../workflows/history/timeline/narrator.ts';
import { foldedLines, gapLine } from './time-line.ts';
import { fullName } from '../../../services/read-model/views/full-name.ts';
import type { JobView } from '../../../services/read-model/views/jobs.ts';
import type { RowSource } from '../../sources/row-source.ts';
import { withRows } from '../../sources/with-rows.ts';

/** Adds the verb `history`. */
export function registerHistory(program: Command): void {
  const command = program
    .command('history')
    .description('show the events of a Job or CronJob, the decisions with their reasons, and the outcomes')
    .argument('<job>', STREAM_ARGUMENT);
  showOptions(command, 'print the CloudEvents of the stream as JSON').action(history);
}

/** Prints the events of a Job or CronJob. */
async function history(argument: string, options: ShowOptions): Promise<void> {
  const wanted = wantedStream(argument, options);
  if (wanted.kind === 'cronjob') return historyOfCronJob(await cronJobStream(wanted, options), options);
  await withRows(options, async (rows) => {
    const job = await rows.job(wanted);
    await (options.output === 'json' ? printEvents(rows, job) : printTimeLine(rows, job));
  });
}

/** Prints the events of a CronJob, as JSON or as a timeline. */
function historyOfCronJob({ title, events }: CronJobStream, { output }: OutputOption): void {
  if (output === 'json') return write(`[\n${events.map((event) => encodeEvent(event).value).join(',\n')}\n]`);
  const effective = new Set(effectiveDecisions(events).map(({ id }) => id));
  const superseded = events.filter(({ type, id }) => type === 'cronjob.decided' && !effective.has(id));
  const narrate = createNarrator(new Set(superseded.map(({ id }) => id)));
  write(title);
  const lines = foldedLines(write);
  for (const event of events) for (const line of narrate(event)) lines.add(line);
  lines.end();
}

/** Prints one JSON array with one event per line. */
async function printEvents(rows: RowSource, job: JobView): Promise<void> {
  let before = '[\n';
  for await (const event of rows.events(job)) {
    writePart(`${before}${encodeEvent(event).value}`);
    before = ',\n';
  }
  write(before === '[\n' ? '[]' : '\n]');
}

/** Prints the timeline of a Job; each gap is printed at its end, before the first event after the gap. */
async function printTimeLine(rows: RowSource, job: JobView): Promise<void> {
  const gaps = (await rows.gaps(job)).map(gapLine);
  const narrate = createNarrator(new Set(await rows.superseded(job)));
  write(`Job ${fullName(job)}, uid ${job.uid}`);
  const lines = foldedLines(write);
  for await (const event of rows.events(job)) {
    for (const gap of takeGapsUntil(gaps, event.time)) lines.add(gap);
    for (const line of narrate(event)) lines.add(line);
  }
  for (const gap of gaps) lines.add(gap);
  lines.end();
}

/** Removes the gaps that ended by an instant from the list, and returns them. */
function takeGapsUntil(gaps: TimelineLine[], time: string): TimelineLine[] {
  const later = gaps.findIndex((gap) => Date.parse(gap.time) > Date.parse(time));
  return gaps.splice(0, later === -1 ? gaps.length : later);
}
