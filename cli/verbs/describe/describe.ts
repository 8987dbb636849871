import type { Command } from 'commander';
import {
  kindNamed,
  showOptions,
  STREAM_ARGUMENT,
  wantedStream,
  type ShowOptions,
} from '../../job-argument.ts';
import { eachFound } from '../../each-found.ts';
import { write } from '../../output.ts';
import { writeJson } from '../../write-json.ts';
import { cronJobDescription } from './cron-job-description.ts';
import { jobDescription } from './job-description.ts';
import { shownMembers } from './members.ts';
import type { WantedJob } from '../../../services/read-model/queries/find-job.ts';
import { readPlacements, podsOfJob, podsOfMembers } from '../../sources/pods-of-job.ts';
import { withRows } from '../../sources/with-rows.ts';

export function registerDescribe(program: Command): void {
  const command = program
    .command('describe')
    .description(
      'show a Job: its status, why it waits, its conditions over time, the Events of other programs, and its pods with the reasons for their ends; or a CronJob with its next and most recent starts',
    )
    .argument('<names...>', STREAM_ARGUMENT);
  showOptions(command, 'print the rows as JSON').action(describeAll);
}

async function describeAll(given: readonly string[], options: ShowOptions): Promise<void> {
  const [first = '', ...others] = given;
  const kind = others.length === 0 ? null : kindNamed(first);
  const names = kind === null ? given : others.map((name) => `${kind}/${name}`);
  const { found, error } = await eachFound(names, (name) => describeOne(name, options));
  if (error !== null && found.length === 0) throw error;
  if (options.output === 'json') {
    const values = found.map(({ value }) => value);
    writeJson(names.length === 1 ? values[0] : values);
  } else for (const [at, { text }] of found.entries()) write(`${at > 0 ? '\n' : ''}${text()}`);
  if (error !== null) throw error;
}

/** The rows about one object, and the text for people. */
interface Described {
  value: object;
  text: () => string;
}

async function describeOne(argument: string, options: ShowOptions): Promise<Described> {
  const wanted = wantedStream(argument, options);
  if (wanted.kind === 'cronjob') return describeCronJob(wanted, options);
  const value = await withRows(options, async (rows) => {
    const job = await rows.job(wanted);
    const placements = await readPlacements(rows, job);
    return {
      job,
      submission: (await rows.submission(job))?.data ?? null,
      conditions: await rows.conditions(job),
      who: await rows.who(job),
      obstacles: await rows.obstacles(job),
      chain: await rows.chain(job),
      placements,
      home: job.member ? await rows.home(job) : null,
      pods:
        placements.length === 0
          ? await podsOfJob(rows, job)
          : await podsOfMembers(rows, job, shownMembers(placements)),
    };
  });
  return { value, text: () => jobDescription(value) };
}

/** The most starts shown. */
const RUNS = 20;

async function describeCronJob(wanted: WantedJob, options: ShowOptions): Promise<Described> {
  const value = await withRows(options, async (rows) => {
    const cronJob = await rows.cronJob(wanted);
    return {
      cronJob,
      coming_starts: await rows.comingStarts(cronJob),
      runs: await rows.starts(cronJob, RUNS),
    };
  });
  return { value, text: () => cronJobDescription(value) };
}
