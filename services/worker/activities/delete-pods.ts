import type { PodAnswer } from '../../../workflows/job/outcomes.ts';
import type { CommandOf, PodRef } from '../../../workflows/job/commands.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import type { AnswerTo } from './answer-to.ts';
import { emitOnJob, type EventOnJob } from './events-on-job.ts';
import { releasePod } from './pod-patches.ts';
import { failureOf, forEachOf, isConflict, isNotFound, podPath, type Site } from './site.ts';

/** Deletes pods with their default grace period; `untrack` takes the finalizer off first, so they are never counted (J-5.33). */
export async function deletePods(
  site: Site,
  { pods, untrack }: CommandOf<'DeletePods'>,
): Promise<AnswerTo<'DeletePods'>> {
  const answers = await forEachOf(pods, (pod) =>
    untrack ? untrackAndDelete(site, pod) : deletePod(site, pod),
  );
  await emitOnJob(site, answers.flatMap(eventOf));
  return { kind: 'DeletePods', untrack, pods: answers };
}

async function untrackAndDelete(site: Site, pod: PodRef): Promise<PodAnswer> {
  const released = await releasePod(site, pod);
  return released.result === 'done' ? deletePod(site, pod) : released;
}

async function deletePod(site: Site, { uid, name }: PodRef): Promise<PodAnswer> {
  try {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid } };
    const answer = await site.client.request<Partial<Pod>>({
      method: 'DELETE',
      path: podPath(site.job, name),
      body,
      signal: site.signal,
    });
    const resourceVersion = answer.metadata?.resourceVersion;
    return { uid, name, result: 'done', ...(resourceVersion !== undefined && { resourceVersion }) };
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return { uid, name, result: 'gone' };
    return { uid, name, result: 'failed', error: failureOf(error) };
  }
}

/** J-7.2. */
function eventOf(answer: PodAnswer): EventOnJob[] {
  switch (answer.result) {
    case 'done':
      return [{ type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted pod: ${answer.name}` }];
    case 'failed':
      return [
        { type: 'Warning', reason: 'FailedDelete', message: `Error deleting: ${answer.error.message}` },
      ];
    case 'gone':
      return [];
  }
}
