import { eventsOfDeletion } from '../../../adapters/kubernetes/events-on-job.ts';
import type { PodOutcome } from '../../../../workflows/job/outcomes.ts';
import type { CommandOf, PodRef } from '../../../../workflows/job/commands.ts';
import type { Pod } from '../../../../workflows/kubernetes/objects.ts';
import type { OutcomeOf } from './outcome-of.ts';
import { emitOnJob } from './emit-on-job.ts';
import { isOfJob } from './of-job.ts';
import { createPodByPod } from './pod-by-pod.ts';
import { outcomeOfRefused, releaseWithoutRead } from './pod-patches.ts';
import { staleFailure } from '../../command/command-table.ts';
import { podPath, readPod } from '../../command/requests.ts';
import type { CommandContext } from './command-context.ts';

/**
 * Deletes pods with their default grace period. `untrack` first removes the finalizer, so that the pods are never
 * counted (J-5.33). Pods that are not deleted before the end of the time are left out of the outcome.
 */
export async function deletePods(
  context: CommandContext,
  { pods, untrack }: CommandOf<'DeletePods'>,
): Promise<OutcomeOf<'DeletePods'>> {
  const outcomes = createPodByPod<PodOutcome>(context, 'uid');
  await outcomes.each(pods, (pod) => (untrack ? untrackAndDelete(context, pod) : deletePod(context, pod)));
  const answers = outcomes.of(pods);
  await emitOnJob(context, answers.flatMap(eventsOfDeletion));
  return { kind: 'DeletePods', untrack, pods: answers };
}

async function untrackAndDelete(context: CommandContext, pod: PodRef): Promise<PodOutcome> {
  const { outcome, live } = await releaseWithoutRead(context, pod);
  return outcome.result === 'done' ? deletePod(context, pod, live) : outcome;
}

/**
 * Deletes a pod if the Job controls the pod. The pod is read to learn its controller, unless a response has just shown
 * the pod.
 */
async function deletePod(context: CommandContext, { uid, name }: PodRef, shown?: Pod): Promise<PodOutcome> {
  const live = shown ?? (await readPod(context, name));
  if (live?.metadata.uid !== uid) return { uid, name, result: 'gone' };
  if (!isOfJob(context, live))
    return { uid, name, result: 'failed', error: staleFailure('the Job does not control the pod') };
  try {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid } };
    const answer = await context.client.request<Partial<Pod>>({
      method: 'DELETE',
      path: podPath(context.job, name),
      body,
      signal: context.signal,
    });
    const resourceVersion = answer.metadata?.resourceVersion;
    return { uid, name, result: 'done', ...(resourceVersion !== undefined && { resourceVersion }) };
  } catch (error) {
    return outcomeOfRefused(context, { uid, name }, error);
  }
}
