import type { CronChildRef, CronCommandOf } from '../../../../workflows/cron-job/commands.ts';
import type { DeletionOutcome } from '../../../../workflows/cron-job/outcomes.ts';
import type { ApiFailure } from '../../../../workflows/decision/api-failure.ts';
import { toApiFailure, mapInBatches, jobPath, readJobNamed } from '../../command/requests.ts';
import { staleFailure } from '../../command/command-table.ts';
import { isOurs, type BasedOutcomeOf, type CronContext, type CronOutcomeOf } from './cron-context.ts';
import { staleOutcome } from './live-cron-job.ts';

/** Deletes Jobs of the history one by one (J-9.47), if the CronJob controls them. */
export async function deleteJobs(
  context: CronContext,
  { jobs }: CronCommandOf<'DeleteJobs'>,
): Promise<CronOutcomeOf<'DeleteJobs'>> {
  return { kind: 'DeleteJobs', jobs: await mapInBatches(jobs, (job) => readAndDelete(context, job)) };
}

/**
 * Reads and deletes running Jobs, up to the first error (J-9.37). No Job is deleted when the start that replaces the
 * Jobs is stale.
 */
export async function replaceJobs(
  context: CronContext,
  command: CronCommandOf<'ReplaceJobs'>,
): Promise<BasedOutcomeOf<'ReplaceJobs'>> {
  const { jobs } = command;
  const outcomes: DeletionOutcome[] = [];
  const stale = await staleStartOutcome(context, command);
  if (stale !== null) return stale;
  for (const job of jobs) {
    const unread = await findReadFailure(context, job);
    if (unread !== null) {
      outcomes.push({ ...job, result: 'failed', error: unread });
      return { kind: 'ReplaceJobs', jobs: outcomes, reading: true };
    }
    const outcome = await deleteOneJob(context, job);
    outcomes.push(outcome);
    if (outcome.result === 'failed') break;
  }
  return { kind: 'ReplaceJobs', jobs: outcomes };
}

/**
 * The outcome if the start that replaces the Jobs is stale, otherwise null. If the CronJob is gone or cannot be read,
 * the start itself reports this problem.
 */
async function staleStartOutcome(
  context: CronContext,
  command: CronCommandOf<'ReplaceJobs'>,
): Promise<CronOutcomeOf<'stale'> | null> {
  try {
    const live = await context.live();
    return live === null ? null : staleOutcome(command, live, context.now());
  } catch (error) {
    toApiFailure(error);
    return null;
  }
}

async function readAndDelete(context: CronContext, job: CronChildRef): Promise<DeletionOutcome> {
  const unread = await findReadFailure(context, job);
  return unread === null ? deleteOneJob(context, job) : { ...job, result: 'failed', error: unread };
}

async function findReadFailure(
  context: CronContext,
  { uid, name }: CronChildRef,
): Promise<ApiFailure | null> {
  try {
    const found = await readJobNamed(context, name);
    if (found?.metadata.uid === uid)
      return isOurs(context, found) ? null : staleFailure('the CronJob does not control the Job');
    return { status: 404, reason: 'NotFound', message: `jobs.batch "${name}" not found` };
  } catch (error) {
    return toApiFailure(error);
  }
}

/** Deletes a Job. The UID is a precondition, so that no later Job of the same name is deleted (B-28). */
async function deleteOneJob(context: CronContext, { uid, name }: CronChildRef): Promise<DeletionOutcome> {
  const { client, job, signal } = context;
  const body = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    propagationPolicy: 'Background',
    preconditions: { uid },
  };
  try {
    await client.request({ method: 'DELETE', path: jobPath(job, name), body, signal });
    return { uid, name, result: 'done' };
  } catch (error) {
    return {
      uid,
      name,
      result: 'failed',
      error: await explainRefusal(context, { uid, name }, toApiFailure(error)),
    };
  }
}

/**
 * Explains a refused deletion. A conflict means that another Job has the name, unless a policy or a webhook caused the
 * conflict: the Job then still exists.
 */
async function explainRefusal(
  context: CronContext,
  { uid, name }: CronChildRef,
  failure: ApiFailure,
): Promise<ApiFailure> {
  if (failure.status !== 409) return failure;
  const found = await readJobNamed(context, name);
  // The result has the status of a refusal, because status 409 would be taken for an absent Job.
  return found?.metadata.uid === uid ? { ...failure, status: 403 } : failure;
}
