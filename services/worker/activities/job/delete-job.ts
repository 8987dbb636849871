import { jobFacts } from '../../../../workflows/job/observe/compact.ts';
import type { CommandOf } from '../../../../workflows/job/commands.ts';
import { jobExpiry } from '../../../../workflows/batch/expiry.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import type { OutcomeOf } from './outcome-of.ts';
import { toApiFailure, isNotFound, jobPath } from '../requests.ts';
import type { CommandContext } from './command-context.ts';

/**
 * Deletes an expired Job in the foreground, after a check that the live Job has also expired (J-10.3). An unchanged Job
 * counts as expired, whatever the clock of this machine shows.
 */
export async function deleteJob(
  context: CommandContext,
  { expiredAt }: CommandOf<'DeleteJob'>,
): Promise<OutcomeOf<'DeleteJob'>> {
  const live = await context.readJob();
  if (live === null) return { kind: 'DeleteJob', result: 'gone' };
  const expiry = jobExpiry(jobFacts(live));
  if (expiry === null || expiry > Math.max(expiredAt, context.now()))
    return { kind: 'DeleteJob', result: 'kept', job: jobFacts(live) };
  try {
    const left = await context.client.request<Partial<Job>>({
      method: 'DELETE',
      path: jobPath(context.job),
      body: {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: 'Foreground',
        preconditions: { uid: context.job.uid },
      },
      signal: context.signal,
    });
    // A Job without dependents is deleted at once, and the API returns a Status instead of the Job.
    return isJob(left)
      ? { kind: 'DeleteJob', result: 'done', job: jobFacts(left) }
      : { kind: 'DeleteJob', result: 'gone' };
  } catch (error) {
    if (isNotFound(error)) return { kind: 'DeleteJob', result: 'gone' };
    const failure = toApiFailure(error);
    // Another Job has the name, or the deletion is refused.
    if (failure.status === 409 && (await context.readJob()) === null)
      return { kind: 'DeleteJob', result: 'gone' };
    return { kind: 'DeleteJob', result: 'failed', error: failure };
  }
}

function isJob(live: Partial<Job>): live is Job {
  return live.metadata?.uid !== undefined && live.spec !== undefined;
}
