import type { Command } from 'commander';
import {
  kindNamed,
  showOptions,
  STREAM_ARGUMENT,
  wantedStream,
  type ShowOptions,
} from '../../job-argument.ts';
import { comingStartsOf } from '../../coming-starts-of.ts';
import { write } from '../../output.ts';
import type { RowSource } from '../../sources/row-source.ts';
import { isRefused } from '../../../workflows/history/refused.ts';
import { isoTime } from '../../../workflows/job/definitions/instants.ts';
import { InputError } from '../../../services/adapters/errors.ts';
import type { CronJobView } from '../../../services/read-model/views.ts';
import { writeJson } from '../../write-json.ts';
import { cronJobDescription } from './cron-job-description.ts';
import { jobDescription } from './job-description.ts';
import type { WantedJob } from '../../../services/read-model/find-job.ts';
import { withRows } from '../../sources/with-rows.ts';

export function registerDescribe(program: Command): void {
  const command = program
    .command('describe')
    .description(
      'show a Job: its status, its reason to wait, its conditions over time, and its pods with the reasons; or a CronJob with its last starts',
    )
    .argument('<names...>', STREAM_ARGUMENT);
  showOptions(command, 'print the rows as JSON').action(describeAll);
}

async function describeAll(given: readonly string[], options: ShowOptions): Promise<void> {
  const [first = '', ...others] = given;
  const kind = others.length === 0 ? null : kindNamed(first);
  const names = kind === null ? given : others.map((name) => `${kind}/${name}`);
  for (const [at, name] of names.entries()) {
    if (at > 0 && options.output === undefined) write('');
    await describe(name, options);
  }
}

async function describe(argument: string, options: ShowOptions): Promise<void> {
  const wanted = wantedStream(argument, options);
  if (wanted.kind === 'cronjob') return describeCronJob(wanted, options);
  const described = await withRows(options, async (rows) => {
    const job = await rows.job(wanted);
    return {
      job,
      submission: (await rows.submission(job))?.data ?? null,
      conditions: await rows.conditions(job),
      chain: await rows.chain(job),
      pods: await rows.pods(job),
    };
  });
  if (options.output === 'json') writeJson(described);
  else write(jobDescription(described));
}

/** The most starts shown. */
const RUNS = 20;

async function describeCronJob(wanted: WantedJob, options: ShowOptions): Promise<void> {
  const described = await withRows(options, async (rows) => {
    const cronJob = await rows.cronJob(wanted);
    return { cronJob, nextStart: await nextStart(rows, cronJob), runs: await rows.starts(cronJob, RUNS) };
  });
  if (options.output === 'json') writeJson(described);
  else write(cronJobDescription(described));
}

/** RFC 3339; null without one, such as while it is suspended, or when its stream does not say. */
async function nextStart(rows: RowSource, cronJob: CronJobView): Promise<string | null> {
  if (cronJob.deleted_at !== null) return null;
  const events = await rows.cronJobEvents(cronJob).catch(whenBehind);
  const next = events === null ? null : comingStartsOf(events, 1);
  if (next === null || isRefused(next)) return null;
  const [at] = next.coming.starts;
  return at === undefined ? null : isoTime(at);
}

/** Null when the tables do not have the whole stream yet. */
function whenBehind(error: unknown): null {
  if (error instanceof InputError) return null;
  throw error;
}
