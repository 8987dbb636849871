import { InvalidArgumentError, Option, type Command } from 'commander';
import { InputError, type JobledgerError } from '../../../services/adapters/errors.ts';
import { printableLine } from '../../../services/adapters/printable.ts';
import type { JobView } from '../../../services/read-model/views/jobs.ts';
import { durationIn } from '../../duration.ts';
import { EndedOtherwiseError, TimedOutError } from '../../failure.ts';
import {
  JOB_ARGUMENT,
  jobOptions,
  requireOneForUid,
  wantedJob,
  type JobOptions,
} from '../../job-argument.ts';
import { report, write } from '../../output.ts';
import { situationText } from '../../print/situation.ts';
import { connectionOptions, type ConnectionOptions } from '../../server/connection-options.ts';
import { lookUntil } from '../../sources/look-until.ts';
import type { RowSource } from '../../sources/row-source.ts';
import { fullName } from '../../../services/read-model/views/full-name.ts';

/** What `wait` waits for. */
const CONDITIONS = ['complete', 'failed', 'ended'] as const;
type WaitCondition = (typeof CONDITIONS)[number];

interface WaitOptions extends JobOptions, ConnectionOptions {
  readonly for: WaitCondition;
  /** In milliseconds. */
  readonly timeout?: number;
}

/** docs/command-line.md lists the exit statuses of every verb. */
const EXIT_STATUSES = `
Exit status:
  0 when every Job has ended as expected, 3 when the time is over first,
  4 when a Job has ended otherwise`;

export function registerWait(program: Command): void {
  const command = program
    .command('wait')
    .description(
      'wait until each of these Jobs has ended; fails if one ends otherwise than expected, or not in time',
    )
    .argument('<jobs...>', JOB_ARGUMENT)
    .addOption(
      new Option('--for <condition>', 'the expected end; ended: either way')
        .choices(CONDITIONS)
        .default('complete'),
    )
    .option(
      '--timeout <duration>',
      'the longest time to wait: 90s, 10m, 2h; 24d at most (default: no limit)',
      parseDuration,
    )
    .addHelpText('after', EXIT_STATUSES);
  connectionOptions(jobOptions(command)).action(wait);
}

/** The time to wait for an unknown Job, because a new Job may not be observed yet. */
const UNKNOWN_MS = 15_000;

/**
 * Waits for one Job after the other. @throws the error of a single Job, or for several Jobs the number that did not
 * end as expected.
 */
async function wait(given: readonly string[], options: WaitOptions): Promise<void> {
  requireOneForUid(given, options);
  const { timeout } = options;
  const signal = timeout === undefined ? new AbortController().signal : AbortSignal.timeout(timeout);
  const failures: JobledgerError[] = [];
  for (const [at, argument] of given.entries())
    try {
      // An address that nothing answers ends the first wait at once; an outage later is waited for.
      const until = { signal, isKnownToAnswer: at > 0 };
      write(printableLine(await waitForOne(argument, options, until)));
    } catch (error) {
      if (given.length === 1 || !(error instanceof EndedOtherwiseError || error instanceof TimedOutError))
        throw error;
      failures.push(error);
      report(`jobledger: ${error.message}`);
    }
  const timedOut = failures.filter((error) => error instanceof TimedOutError);
  if (failures.length === 0) return;
  const message = `${failures.length} of ${given.length} Jobs did not end as expected`;
  throw timedOut.length === failures.length ? new TimedOutError(message) : new EndedOtherwiseError(message);
}

/** The end of the Job. @throws EndedOtherwiseError, TimedOutError. */
async function waitForOne(
  argument: string,
  options: WaitOptions,
  until: { signal: AbortSignal; isKnownToAnswer: boolean },
): Promise<string> {
  const wanted = wantedJob(argument, options);
  let firstLook: number | undefined;
  let over: Met | null = null;
  let last: JobView | null = null;
  await lookUntil(options, describeJob(wanted), until, async (rows) => {
    firstLook ??= performance.now();
    const job = await jobOrUnknown(rows, wanted, performance.now() - firstLook < UNKNOWN_MS);
    last = job;
    over = job === null ? null : metBy(job, options.for);
    return over !== null;
  });
  // Assigned in the callback, which the compiler does not see.
  const result = over as Met | null;
  if (result === null) throw new TimedOutError(timedOutText(argument, (options.timeout ?? 0) / 1000, last));
  if (!result.met) throw new EndedOtherwiseError(result.message);
  return result.message;
}

/** The events of a Job can be distinguished from others only once the Job is known; a new Job has no event yet. */
function describeJob({ name, cluster, namespace }: ReturnType<typeof wantedJob>): {
  job: string;
  cluster?: string | undefined;
  namespace?: string | undefined;
} {
  return { job: name, cluster, namespace };
}

/** The Job; null if it is unknown, and may still be observed. @throws the error of an unknown Job otherwise. */
export async function jobOrUnknown(
  rows: Pick<RowSource, 'job' | 'clusters'>,
  wanted: ReturnType<typeof wantedJob>,
  mayBeUnknown: boolean,
): Promise<JobView | null> {
  try {
    return await rows.job(wanted);
  } catch (error) {
    const isUnknown =
      error instanceof InputError &&
      (error.name === 'UnknownJobError' || ('kind' in error && error.kind === 'unknown-job'));
    if (isUnknown && mayBeUnknown && !isElsewhere(wanted, await rows.clusters())) return null;
    throw error;
  }
}

/** True when the cluster of the Job is none of the known clusters; a new installation knows none yet. */
function isElsewhere({ cluster }: { cluster?: string }, known: readonly string[]): boolean {
  return cluster !== undefined && known.length > 0 && !known.includes(cluster);
}

/** The longest time in whole days that a timer of Node takes. */
const LONGEST = '24d';

function parseDuration(text: string): number {
  const length = durationIn(text);
  if (length === null || length > (durationIn(LONGEST) ?? 0))
    throw new InvalidArgumentError(`a duration such as 90s, 10m or 2h, ${LONGEST} at most`);
  return length;
}

export function timedOutText(argument: string, seconds: number, job: JobView | null): string {
  return job === null
    ? `no Job named "${argument}" was seen within ${seconds} s; "jobledger get" lists those that were`
    : `${fullName(job)} has not ended after ${seconds} s: ${situationText(job)}`;
}

/** True when the wait has ended, with a text that says whether the Job ended as expected. */
interface Met {
  met: boolean;
  message: string;
}

/** Null when the Job has not ended yet. */
export function metBy(job: JobView, condition: WaitCondition): Met | null {
  const name = fullName(job);
  if (job.finished_at !== null) {
    const ending = job.kubectl_status === 'Complete' ? 'complete' : 'failed';
    return {
      met: condition === 'ended' || condition === ending,
      message: `${name}: ${situationText({ ...job, deleted_at: null })}`,
    };
  }
  return job.deleted_at === null ? null : { met: false, message: `${name} was deleted before it ended` };
}
