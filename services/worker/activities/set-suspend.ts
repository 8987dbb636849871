import type { CommandOf } from '../../../workflows/job/commands.ts';
import { jobFacts } from '../../../workflows/job/observe/compact.ts';
import type { Job } from '../../../workflows/kubernetes/objects.ts';
import type { AnswerTo } from './answer-to.ts';
import { failureOf, isConflict, isNotFound, jobPath, type Site } from './site.ts';

/** PATCHes `spec.suspend`, with the Job's uid as precondition; the normal rules do the rest. */
export async function setSuspend(
  site: Site,
  { suspend, request }: CommandOf<'SetSuspend'>,
): Promise<AnswerTo<'SetSuspend'>> {
  const body = { metadata: { uid: site.job.uid }, spec: { suspend } };
  try {
    const job = await site.client.request<Job>({
      method: 'PATCH',
      path: jobPath(site.job),
      body,
      contentType: 'application/merge-patch+json',
      signal: site.signal,
    });
    return { kind: 'SetSuspend', result: 'done', request, job: jobFacts(job) };
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return { kind: 'SetSuspend', result: 'gone', request };
    return { kind: 'SetSuspend', result: 'failed', request, error: failureOf(error) };
  }
}
