import type { CommandOf } from '../../../../workflows/job/commands.ts';
import { jobFacts } from '../../../../workflows/job/observe/compact.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import type { OutcomeOf, StaleOutcome } from './outcome-of.ts';
import { toStaleOutcome, staleReason } from './stale.ts';
import { toApiFailure, isConflict, isNotFound, jobPath } from '../requests.ts';
import type { CommandContext } from './command-context.ts';

/** The most attempts. Other clients may keep writing the same Job; the core then decides again. */
const ATTEMPTS = 5;

/**
 * Changes `spec.suspend` by a PATCH; the ordinary rules handle the change. The write requires that the Job still has
 * the uid and the spec that the decision knew: the resourceVersion is a precondition, so no later user request is
 * undone.
 */
export async function setSuspend(
  context: CommandContext,
  command: CommandOf<'SetSuspend'>,
): Promise<OutcomeOf<'SetSuspend'> | StaleOutcome> {
  const { suspend, request: id } = command;
  const request = id === undefined ? {} : { request: id };
  for (let attempt = 1; ; attempt += 1) {
    const live = attempt === 1 ? await context.recentJob() : await context.readJob();
    if (live === null) return { kind: 'SetSuspend', result: 'gone', ...request };
    // An earlier attempt may have written the field.
    if ((live.spec.suspend ?? false) === suspend)
      return { kind: 'SetSuspend', result: 'done', ...request, job: jobFacts(live) };
    const why =
      attempt > ATTEMPTS
        ? 'the Job changes before each attempt to write it'
        : staleReason(context, command, live);
    if (why !== null) return toStaleOutcome('SetSuspend', why, live);
    try {
      const job = await patchSuspend(context, suspend, live.metadata.resourceVersion);
      return { kind: 'SetSuspend', result: 'done', ...request, job: jobFacts(job) };
    } catch (error) {
      if (isNotFound(error)) return { kind: 'SetSuspend', result: 'gone', ...request };
      if (!isConflict(error))
        return { kind: 'SetSuspend', result: 'failed', ...request, error: toApiFailure(error) };
    }
  }
}

async function patchSuspend(
  { client, job, signal, rememberJob }: CommandContext,
  suspend: boolean,
  resourceVersion: string,
): Promise<Job> {
  const metadata = { uid: job.uid, resourceVersion };
  const written = await client.request<Job>({
    method: 'PATCH',
    path: jobPath(job),
    body: { metadata, spec: { suspend } },
    contentType: 'application/merge-patch+json',
    signal,
  });
  rememberJob(written);
  return written;
}
