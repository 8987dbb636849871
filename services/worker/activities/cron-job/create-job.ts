import { childJob } from '../../../../workflows/cron-job/child-job.ts';
import type { CronCommandOf } from '../../../../workflows/cron-job/commands.ts';
import { childFacts } from '../../../../workflows/cron-job/observe/compact.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import { KubernetesApiError } from '../../../adapters/errors.ts';
import { apiFailureOf, isConflict } from '../command-context.ts';
import { jobsPath, readCronJob, readJob, type CronContext, type CronOutcomeOf } from './cron-context.ts';

/** Creates the Job of a start from the live CronJob (J-9.46). Its name makes a repeated attempt find it (J-9.38). */
export async function createJob(
  context: CronContext,
  command: CronCommandOf<'CreateJob'>,
): Promise<CronOutcomeOf<'CreateJob'>> {
  const { client, cronJob, signal } = context;
  try {
    const live = await readCronJob(context);
    if (live === null) return { kind: 'CreateJob', result: 'gone' };
    const body = childJob(live, command);
    if (body === null) return { kind: 'CreateJob', result: 'failed', error: NO_TEMPLATE };
    const created = await client
      .request<Job>({ method: 'POST', path: jobsPath(cronJob), body, signal })
      .catch((error: unknown) => {
        if (isConflict(error)) return null;
        throw error;
      });
    return created === null ? await existing(context, command) : createdJob(context, created);
  } catch (error) {
    const isTerminating =
      error instanceof KubernetesApiError && error.causes.includes('NamespaceTerminating');
    return {
      kind: 'CreateJob',
      result: 'failed',
      error: apiFailureOf(error),
      ...(isTerminating && { namespaceTerminating: true }),
    };
  }
}

const NO_TEMPLATE = { status: 422, reason: 'Invalid', message: 'the CronJob has no jobTemplate' };

async function existing(
  context: CronContext,
  { name }: CronCommandOf<'CreateJob'>,
): Promise<CronOutcomeOf<'CreateJob'>> {
  const found = await readJob(context, name);
  if (found === null)
    return {
      kind: 'CreateJob',
      result: 'failed',
      error: { status: 409, reason: 'AlreadyExists', message: `jobs.batch "${name}" already exists` },
    };
  if (childFacts(found, context.cronJob.uid).elsewhere === true)
    return { kind: 'CreateJob', result: 'taken' };
  return { ...createdJob(context, found), existing: true };
}

function createdJob(
  { cronJob }: CronContext,
  job: Job,
): Extract<CronOutcomeOf<'CreateJob'>, { result: 'created' }> {
  const createdAt = job.metadata.creationTimestamp;
  return { kind: 'CreateJob', result: 'created', job: childFacts(job, cronJob.uid), createdAt };
}
