import { compareVersions } from '../../../../workflows/ledger/resource-version.ts';
import type { CronCommandOf } from '../../../../workflows/cron-job/commands.ts';
import { readVersionOfJobs } from '../../command/requests.ts';
import type { CronContext, CronOutcomeOf } from './cron-context.ts';

/**
 * The time without a heartbeat after which the attempt of a replaced run has ended, or its worker sends no further
 * request.
 */
const ATTEMPT_MS = 5000;

/**
 * Records that the watch of Jobs has passed a version, as soon as the ingester reports this version. All earlier
 * observations precede the recorded event in the stream. Without a version, the present version is read, but only when
 * no attempt of an earlier run can still create a Job.
 */
export async function awaitWatch(
  context: CronContext,
  { resourceVersion, epoch = 0 }: CronCommandOf<'AwaitWatch'>,
): Promise<CronOutcomeOf<'AwaitWatch'>> {
  const after = resourceVersion ?? (await readVersionAfterAttempts(context));
  const watched = await context.watched();
  const isOfEpoch = watched !== null && (watched.epoch ?? 0) === epoch;
  const reached = isOfEpoch ? watched.resourceVersion : null;
  const hasPassed = reached !== null && compareVersions(reached, after) >= 0;
  if (hasPassed) await context.recordPassed({ resourceVersion: after, ...(epoch > 0 && { epoch }) });
  return { kind: 'AwaitWatch', result: hasPassed ? 'passed' : 'behind', after, reached };
}

async function readVersionAfterAttempts(context: CronContext): Promise<string> {
  await context.pause(ATTEMPT_MS);
  context.signal.throwIfAborted();
  return readVersionOfJobs(context);
}
