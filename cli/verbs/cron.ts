import { InvalidArgumentError, type Command } from 'commander';
import type { ComingStarts } from '../../workflows/cron-job/coming-starts.ts';
import { isoTime } from '../../workflows/job/definitions/instants.ts';
import { isTimeZone } from '../../services/adapters/time-zones.ts';
import { requireAnswer } from '../answered.ts';
import { comingStartsOf } from '../coming-starts-of.ts';
import { cronJobArgument, JOB_ARGUMENT, showOptions, wantedJob, type ShowOptions } from '../job-argument.ts';
import { cronJobStream } from '../cron-job-stream.ts';
import { write } from '../output.ts';
import { localTime } from '../print/local-time.ts';
import { writeJson } from '../write-json.ts';

interface NextOptions extends ShowOptions {
  readonly count: number;
}

export function registerCron(program: Command): void {
  const next = program
    .command('cron')
    .description('show the schedule of a CronJob')
    .command('next')
    .description('show the coming starts of a CronJob, or why there are none')
    .argument('<cronjob>', JOB_ARGUMENT)
    .option('--count <number>', 'how many starts', countArgument, 5);
  showOptions(next, 'print them as JSON').action(printNext);
}

async function printNext(argument: string, options: NextOptions): Promise<void> {
  const wanted = wantedJob(cronJobArgument(argument) ?? argument, options);
  const stream = await cronJobStream(wanted, options);
  const { coming, state } = requireAnswer(comingStartsOf(stream.events, options.count), stream.title);
  if (options.output === 'json')
    return writeJson({ starts: coming.starts.map(isoTime), waiting: coming.waiting });
  write(stream.title);
  write(comingText(coming, zoneOf(state.cronJob?.spec)));
}

/** The time zone of a schedule; null when it names none that this machine knows. */
function zoneOf(spec: { timeZone?: string; schedule: string } | undefined): string | null {
  const zone = spec?.timeZone ?? /^(?:CRON_)?TZ=(\S+)/.exec(spec?.schedule ?? '')?.[1] ?? null;
  return zone !== null && isTimeZone(zone) ? zone : null;
}

/**
 * A line for each start, with the local time in the zone of the schedule, and the reason to wait if there is one besides the next
 * start.
 */
export function comingText({ starts, waiting }: ComingStarts, zone: string | null = null): string {
  const reason = waiting === null ? '' : `${waiting.words} [${waiting.rule}]`;
  if (starts.length === 0)
    return `no coming start: ${reason === '' ? 'the schedule has no next time' : reason}`;
  const line = (at: number): string =>
    zone === null ? isoTime(at) : `${isoTime(at)}  ${localTime(at, zone)}`;
  return [...starts.map(line), ...(waiting === null || waiting.rule === 'J-9.45' ? [] : [reason])].join('\n');
}

function countArgument(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('a whole number from 1 to 999');
  return Number(text);
}
