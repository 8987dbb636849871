import type { PodOutcome } from '../../../workflows/job/outcomes.ts';
import type { CommandOf, PodRef } from '../../../workflows/job/commands.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import type { OutcomeOf } from './outcome-of.ts';
import { emitOnJob, type EventOnJob } from './events-on-job.ts';
import { releasePod } from './pod-patches.ts';
import {
  apiFailureOf,
  forEachOf,
  isConflict,
  isNotFound,
  podPath,
  type CommandContext,
} from './command-context.ts';

/**
 * Deletes pods with their default grace period; `untrack` first removes the finalizer, so they are never counted
 * (J-5.33).
 */
export async function deletePods(
  context: CommandContext,
  { pods, untrack }: CommandOf<'DeletePods'>,
): Promise<OutcomeOf<'DeletePods'>> {
  const answers = await forEachOf(pods, (pod) =>
    untrack ? untrackAndDelete(context, pod) : deletePod(context, pod),
  );
  await emitOnJob(context, answers.flatMap(eventOf));
  return { kind: 'DeletePods', untrack, pods: answers };
}

async function untrackAndDelete(context: CommandContext, pod: PodRef): Promise<PodOutcome> {
  const released = await releasePod(context, pod);
  return released.result === 'done' ? deletePod(context, pod) : released;
}

async function deletePod(context: CommandContext, { uid, name }: PodRef): Promise<PodOutcome> {
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
    if (isNotFound(error) || isConflict(error)) return { uid, name, result: 'gone' };
    return { uid, name, result: 'failed', error: apiFailureOf(error) };
  }
}

/** J-7.2. */
function eventOf(answer: PodOutcome): EventOnJob[] {
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
