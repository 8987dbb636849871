import { jobFacts } from '../../../workflows/job/observe/compact.ts';
import type { CommandOf } from '../../../workflows/job/commands.ts';
import { expiryOf } from '../../../workflows/job/decide/policies/ttl-after-finished.ts';
import type { Job } from '../../../workflows/kubernetes/objects.ts';
import type { AnswerTo } from './answer-to.ts';
import { failureOf, isConflict, isNotFound, jobPath, type Site } from './site.ts';

/**
 * Deletes an expired Job in the foreground, after the same test with the live copy (J-10.3). What was true of the copy
 * that was decided upon stays true of it, whatever this machine's clock says.
 */
export async function deleteJob(
  site: Site,
  { expiredAt }: CommandOf<'DeleteJob'>,
): Promise<AnswerTo<'DeleteJob'>> {
  const live = await site.readJob();
  if (live === null) return { kind: 'DeleteJob', result: 'gone' };
  const expiry = expiryOf(jobFacts(live));
  if (expiry === null || expiry > Math.max(expiredAt, Date.now()))
    return { kind: 'DeleteJob', result: 'kept', job: jobFacts(live) };
  try {
    const left = await site.client.request<Partial<Job>>({
      method: 'DELETE',
      path: jobPath(site.job),
      body: {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: 'Foreground',
        preconditions: { uid: site.job.uid },
      },
      signal: site.signal,
    });
    // Without anything to wait for it is gone at once, and a Status comes instead of the Job.
    return isJob(left)
      ? { kind: 'DeleteJob', result: 'done', job: jobFacts(left) }
      : { kind: 'DeleteJob', result: 'gone' };
  } catch (error) {
    const isGone = isNotFound(error) || (isConflict(error) && (await site.readJob()) === null);
    if (isGone) return { kind: 'DeleteJob', result: 'gone' };
    return { kind: 'DeleteJob', result: 'failed', error: failureOf(error) };
  }
}

function isJob(answer: Partial<Job>): answer is Job {
  return answer.metadata?.uid !== undefined && answer.spec !== undefined;
}
