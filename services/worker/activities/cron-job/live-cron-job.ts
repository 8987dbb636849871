import type { CronCommandOf } from '../../../../workflows/cron-job/commands.ts';
import { cronJobFacts } from '../../../../workflows/cron-job/observe/compact.ts';
import { startStaleness } from '../../../../workflows/cron-job/staleness.ts';
import type { CronJob } from '../../../../workflows/kubernetes/objects.ts';
import { toApiFailure } from '../../command/requests.ts';
import { readCronJob, type CronContext, type CronOutcomeOf } from './cron-context.ts';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2000;

/**
 * Reads the CronJob once for an attempt. The read waits until an outage ends: if the attempt ended during the outage,
 * the next attempt would have to assume that the request was sent.
 */
export function createReadLiveOnce(context: Omit<CronContext, 'live'>): CronContext['live'] {
  let reading: Promise<CronJob | null> | null = null;
  return () => (reading ??= readUntilAnswered(context));
}

async function readUntilAnswered(context: Omit<CronContext, 'live'>): Promise<CronJob | null> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await readCronJob(context);
    } catch (error) {
      if (!isOutage(error)) throw error;
      context.signal.throwIfAborted();
      await context.pause(pauseMs);
    }
  }
}

/** True when the error is an outage, by the rules of `toApiFailure`. */
export function isOutage(error: unknown): boolean {
  try {
    toApiFailure(error);
    return false;
  } catch {
    return true;
  }
}

/**
 * The outcome of a command that does not apply after a change of the CronJob, with the facts for a new decision; null
 * when the command still applies.
 */
export function staleOutcome(
  command: CronCommandOf<'CreateJob' | 'ReplaceJobs'>,
  live: CronJob,
  now: number,
): CronOutcomeOf<'stale'> | null {
  const cronJob = cronJobFacts(live);
  const why = startStaleness(command.preconditions, cronJob, now);
  return why === null ? null : { kind: 'stale', commandKind: command.kind, why, cronJob };
}
