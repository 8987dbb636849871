import { InvalidArgumentError, Option, type Command } from 'commander';
import { InputError, JobledgerError } from '../../../services/adapters/errors.ts';
import { printableLine } from '../../../services/adapters/printable.ts';
import type { JobView } from '../../../services/read-model/views.ts';
import { durationIn } from '../../duration.ts';
import { TimedOutError } from '../../failure.ts';
import { JOB_ARGUMENT, jobOptions, wantedJob, type JobOptions } from '../../job-argument.ts';
import { write } from '../../output.ts';
import { situationWords } from '../../print/situation.ts';
import { connectionOptions, type ConnectionOptions } from '../../server/connection-options.ts';
import { lookUntil } from '../../sources/look-until.ts';
import type { RowSource } from '../../sources/row-source.ts';
import { fullName } from '../../../services/read-model/full-name.ts';

/** What `wait` waits for. */
const CONDITIONS = ['complete', 'failed', 'ended'] as const;
type WaitCondition = (typeof CONDITIONS)[number];

interface WaitOptions extends JobOptions, ConnectionOptions {
  readonly for: WaitCondition;
  /** In milliseconds. */
  readonly timeout?: number;
}

export function registerWait(program: Command): void {
  const command = program
    .command('wait')
    .description('wait until a Job has ended; fails if it ends otherwise than expected, or not in time')
    .argument('<job>', JOB_ARGUMENT)
    .addOption(
      new Option('--for <condition>', 'the expected end; ended: either way')
        .choices(CONDITIONS)
        .default('complete'),
    )
    .option('--timeout <duration>', 'the longest time to wait: 90s, 10m, 2h (default: no limit)', duration);
  connectionOptions(jobOptions(command)).action(wait);
}

/** How long to wait for an unknown Job: a new one may not be observed yet. */
const UNKNOWN_MS = 15_000;

async function wait(argument: string, options: WaitOptions): Promise<void> {
  const wanted = wantedJob(argument, options);
  const { timeout } = options;
  const signal = timeout === undefined ? new AbortController().signal : AbortSignal.timeout(timeout);
  const started = performance.now();
  let over: Met | null = null;
  let last: JobView | null = null;
  await lookUntil(options, aboutOf(wanted), signal, async (rows) => {
    const job = await jobOrUnknown(rows, wanted, performance.now() - started < UNKNOWN_MS);
    last = job;
    over = job === null ? null : metBy(job, options.for);
    return over !== null;
  });
  // Assigned in the callback, which the compiler does not see.
  const result = over as Met | null;
  if (result === null) throw new TimedOutError(timedOutWords(argument, (timeout ?? 0) / 1000, last));
  if (!result.met) throw new JobledgerError(result.words);
  write(printableLine(result.words));
}

/** The events of a Job can be told from others only once it is known; a new Job has no event yet. */
function aboutOf({ name, cluster, namespace }: ReturnType<typeof wantedJob>): {
  job: string;
  cluster?: string | undefined;
  namespace?: string | undefined;
} {
  return { job: name, cluster, namespace };
}

async function jobOrUnknown(
  rows: RowSource,
  wanted: ReturnType<typeof wantedJob>,
  mayBeUnknown: boolean,
): Promise<JobView | null> {
  try {
    return await rows.job(wanted);
  } catch (error) {
    const isUnknown =
      error instanceof InputError &&
      (error.name === 'UnknownJobError' || ('kind' in error && error.kind === 'unknown-job'));
    if (isUnknown && mayBeUnknown) return null;
    throw error;
  }
}

function duration(text: string): number {
  const length = durationIn(text);
  if (length === null) throw new InvalidArgumentError('a duration such as 90s, 10m or 2h');
  return length;
}

export function timedOutWords(argument: string, seconds: number, job: JobView | null): string {
  return job === null
    ? `no Job named "${argument}" was seen within ${seconds} s; "jobledger get" lists those that were`
    : `${fullName(job)} has not ended after ${seconds} s: ${situationWords(job)}`;
}

/** Whether the wait is over, and whether the Job ended as expected, in words. */
interface Met {
  met: boolean;
  words: string;
}

/** Null: it has not ended yet. */
export function metBy(job: JobView, condition: WaitCondition): Met | null {
  const name = fullName(job);
  if (job.finished_at !== null) {
    const ending = job.status === 'Complete' ? 'complete' : 'failed';
    return {
      met: condition === 'ended' || condition === ending,
      words: `${name}: ${situationWords({ ...job, deleted_at: null })}`,
    };
  }
  return job.deleted_at === null ? null : { met: false, words: `${name} was deleted before it ended` };
}
