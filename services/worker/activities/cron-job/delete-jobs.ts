import type { CronChildRef, CronCommandOf } from '../../../../workflows/cron-job/commands.ts';
import type { DeletionOutcome } from '../../../../workflows/cron-job/outcomes.ts';
import type { ApiFailure } from '../../../../workflows/job/outcomes.ts';
import { apiFailureOf, forEachOf } from '../command-context.ts';
import { jobsPath, readJob, type CronContext, type CronOutcomeOf } from './cron-context.ts';

/** Deletes Jobs of the history, each for itself (J-9.47). */
export async function deleteJobs(
  context: CronContext,
  { jobs }: CronCommandOf<'DeleteJobs'>,
): Promise<CronOutcomeOf<'DeleteJobs'>> {
  return { kind: 'DeleteJobs', jobs: await forEachOf(jobs, (job) => deletion(context, job)) };
}

/** Reads and deletes Jobs that still run, up to the first error (J-9.37). */
export async function replaceJobs(
  context: CronContext,
  { jobs }: CronCommandOf<'ReplaceJobs'>,
): Promise<CronOutcomeOf<'ReplaceJobs'>> {
  const outcomes: DeletionOutcome[] = [];
  for (const job of jobs) {
    const unread = await readingFailure(context, job);
    if (unread !== null) {
      outcomes.push({ ...job, result: 'failed', error: unread });
      return { kind: 'ReplaceJobs', jobs: outcomes, reading: true };
    }
    const outcome = await deletion(context, job);
    outcomes.push(outcome);
    if (outcome.result === 'failed') break;
  }
  return { kind: 'ReplaceJobs', jobs: outcomes };
}

async function readingFailure(context: CronContext, { uid, name }: CronChildRef): Promise<ApiFailure | null> {
  try {
    const found = await readJob(context, name);
    if (found?.metadata.uid === uid) return null;
    return { status: 404, reason: 'NotFound', message: `jobs.batch "${name}" not found` };
  } catch (error) {
    return apiFailureOf(error);
  }
}

/** The UID is a precondition, so that no later Job of the same name is deleted (B-28). */
async function deletion(
  { client, cronJob, signal }: CronContext,
  { uid, name }: CronChildRef,
): Promise<DeletionOutcome> {
  const body = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    propagationPolicy: 'Background',
    preconditions: { uid },
  };
  try {
    await client.request({ method: 'DELETE', path: jobsPath(cronJob, name), body, signal });
    return { uid, name, result: 'done' };
  } catch (error) {
    return { uid, name, result: 'failed', error: apiFailureOf(error) };
  }
}
