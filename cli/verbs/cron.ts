import { InvalidArgumentError, type Command } from 'commander';
import type { ComingStarts } from '../../workflows/cron-job/coming-starts.ts';
import { DEFAULT_CRON_SETTINGS } from '../../workflows/cron-job/settings.ts';
import { replayCronJobTo } from '../../workflows/history/replay/replay-to.ts';
import { isoTime } from '../../workflows/ledger/instants.ts';
import { startsAfter } from '../../services/read-model/queries/coming-starts.ts';
import { requireAnswer } from '../answered.ts';
import { cronJobArgument, JOB_ARGUMENT, showOptions, wantedJob, type ShowOptions } from '../job-argument.ts';
import { cronJobStream } from '../cron-job-stream.ts';
import { write } from '../output.ts';
import { startLine, zoneOfSchedule } from '../print/start-line.ts';
import { writeJson } from '../write-json.ts';

interface NextOptions extends ShowOptions {
  readonly count: number;
}

export function registerCron(program: Command): void {
  const next = program
    .command('cron')
    .description('show the schedule of a CronJob')
    .command('next', { isDefault: true })
    .description('show the coming starts of a CronJob, or why there are none')
    .argument('<cronjob>', JOB_ARGUMENT)
    .option('--count <number>', 'how many starts', countArgument, 5);
  showOptions(next, 'print them as JSON', 'CronJob').action(printNext);
}

async function printNext(argument: string, options: NextOptions): Promise<void> {
  const wanted = wantedJob(cronJobArgument(argument) ?? argument, options);
  const { title, events } = await cronJobStream(wanted, options);
  const { state } = requireAnswer(replayCronJobTo(events, 'end'), title);
  const now = Date.now();
  const settings =
    events.findLast((event) => event.type === 'cronjob.decided')?.data.settings ?? DEFAULT_CRON_SETTINGS;
  const coming = startsAfter(now, state, settings, options.count);
  if (options.output === 'json')
    return writeJson({ starts: coming.starts.map(isoTime), waiting: coming.waiting });
  write(title);
  const { schedule = null, timeZone = null } = state.cronJob?.spec ?? {};
  write(comingText(coming, zoneOfSchedule(schedule, timeZone)));
}

/**
 * A line for each start, with the local time in the zone of the schedule, and with any reason to wait besides the
 * next start.
 */
export function comingText({ starts, waiting }: ComingStarts, zone: string | null = null): string {
  const reason = waiting === null ? '' : `${waiting.message} [${waiting.rule}]`;
  if (starts.length === 0)
    return `no coming start: ${reason === '' ? 'the schedule has no next time' : reason}`;
  return [
    ...starts.map((at) => startLine(at, zone)),
    ...(waiting === null || waiting.rule === 'J-9.45' ? [] : [reason]),
  ].join('\n');
}

function countArgument(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('a whole number from 1 to 999');
  return Number(text);
}
