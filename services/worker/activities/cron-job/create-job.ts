import { childJob } from '../../../../workflows/cron-job/child-job.ts';
import type { CronCommandOf } from '../../../../workflows/cron-job/commands.ts';
import type { ApiFailure } from '../../../../workflows/decision/api-failure.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import { KubernetesApiError } from '../../../adapters/errors.ts';
import { toApiFailure, isConflict, jobsPath, readJobNamed } from '../../command/requests.ts';
import type { BasedOutcomeOf, CronContext, CronOutcomeOf } from './cron-context.ts';
import { staleOutcome } from './live-cron-job.ts';
import { outcomeAfterNoAnswer, createdOutcome, outcomeOfExistingJob, isUnanswered } from './no-answer.ts';

/**
 * Creates the Job of a start from the live CronJob (J-9.46). A request that may have been sent is never repeated: its
 * Job may have run and may be gone, so that another Job would run the start twice (J-9.38).
 */
export async function createJob(
  context: CronContext,
  command: CronCommandOf<'CreateJob'>,
): Promise<BasedOutcomeOf<'CreateJob'>> {
  if (context.attempt > 1) return outcomeAfterNoAnswer(context, command);
  const { client, job, signal } = context;
  let created: Job;
  try {
    const live = await context.live();
    if (live === null) return { kind: 'CreateJob', result: 'gone' };
    const stale = staleOutcome(command, live, context.now());
    if (stale !== null) return stale;
    const body = childJob(live, command);
    if (body === null) return failedOutcome(NO_TEMPLATE);
    created = await client.request<Job>({ method: 'POST', path: jobsPath(job), body, signal });
  } catch (error) {
    if (isUnanswered(error)) return outcomeAfterNoAnswer(context, command);
    if (isConflict(error)) return outcomeAfterConflict(context, command, toApiFailure(error));
    return refusedOutcome(error);
  }
  return createdOutcome(context, created);
}

const NO_TEMPLATE = { status: 422, reason: 'Invalid', message: 'the CronJob has no jobTemplate' };

function failedOutcome(error: ApiFailure): CronOutcomeOf<'CreateJob'> {
  return { kind: 'CreateJob', result: 'failed', error };
}

/**
 * The outcome of a refused creation. The outcome also covers "too many requests": no Job was created, so the core
 * decides again after a back-off.
 */
function refusedOutcome(error: unknown): CronOutcomeOf<'CreateJob'> {
  if (error instanceof KubernetesApiError && error.status === 429)
    return failedOutcome({ status: 429, reason: error.reason, message: error.exactText });
  const isTerminating = error instanceof KubernetesApiError && error.causes.includes('NamespaceTerminating');
  return {
    kind: 'CreateJob',
    result: 'failed',
    error: toApiFailure(error),
    ...(isTerminating && { namespaceTerminating: true }),
  };
}

/**
 * The outcome of a creation after a conflict. After `AlreadyExists`, the existing Job may be ours. Any other conflict
 * comes from a quota, unless a Job has the name.
 */
async function outcomeAfterConflict(
  context: CronContext,
  command: CronCommandOf<'CreateJob'>,
  error: ApiFailure,
): Promise<CronOutcomeOf<'CreateJob'>> {
  if (error.reason === 'AlreadyExists') return outcomeAfterNoAnswer(context, command);
  const found = await readJobNamed(context, command.name);
  return found === null ? failedOutcome(error) : outcomeOfExistingJob(context, found);
}
