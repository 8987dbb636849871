import { isOwnCondition } from '../../../../workflows/batch/conditions.ts';
import { jobExpiry } from '../../../../workflows/batch/expiry.ts';
import type { CommandOf } from '../../../../workflows/job/commands.ts';
import { jobFacts } from '../../../../workflows/job/observe/compact.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import { replaceStatus } from '../../command/replace-status.ts';
import { toApiFailure, isConflict, isNotFound, jobPath } from '../../command/requests.ts';
import type { CommandContext } from './command-context.ts';
import type { OutcomeOf, StaleOutcome } from './outcome-of.ts';
import { toStaleOutcome, staleReason } from './check.ts';

/** Writes the status of a Job. */
export async function writeStatus(
  context: CommandContext,
  command: CommandOf<'WriteStatus'>,
): Promise<OutcomeOf<'WriteStatus'>> {
  const written = await replaceStatus({ ...context, isOwn: isOwnCondition }, command);
  if (!('job' in written)) return { kind: 'WriteStatus', ...written };
  return { kind: 'WriteStatus', result: written.result, job: jobFacts(written.job) };
}

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
