import type { CommandOf } from '../../../workflows/job/commands.ts';
import { jobFacts } from '../../../workflows/job/observe/compact.ts';
import type { Job } from '../../../workflows/kubernetes/objects.ts';
import type { OutcomeOf } from './outcome-of.ts';
import { apiFailureOf, isConflict, isNotFound, jobPath, type CommandContext } from './command-context.ts';

/** PATCHes `spec.suspend`, with the Job's uid as precondition; the ordinary rules do the rest. */
export async function setSuspend(
  context: CommandContext,
  { suspend, request: id }: CommandOf<'SetSuspend'>,
): Promise<OutcomeOf<'SetSuspend'>> {
  const request = id === undefined ? {} : { request: id };
  const body = { metadata: { uid: context.job.uid }, spec: { suspend } };
  try {
    const job = await context.client.request<Job>({
      method: 'PATCH',
      path: jobPath(context.job),
      body,
      contentType: 'application/merge-patch+json',
      signal: context.signal,
    });
    return { kind: 'SetSuspend', result: 'done', ...request, job: jobFacts(job) };
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return { kind: 'SetSuspend', result: 'gone', ...request };
    return { kind: 'SetSuspend', result: 'failed', ...request, error: apiFailureOf(error) };
  }
}
