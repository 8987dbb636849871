import type { CronCommandOf } from '../../../../workflows/cron-job/commands.ts';
import { childFacts } from '../../../../workflows/cron-job/observe/compact.ts';
import { findController } from '../../../../workflows/kubernetes/controller.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import { KubernetesApiError } from '../../../adapters/errors.ts';
import { readJobNamed, readVersionOfJobs } from '../../command/requests.ts';
import { isOurs, type CronContext, type CronOutcomeOf } from './cron-context.ts';
import { isOutage } from './live-cron-job.ts';

/** The errors of etcd that the API server reports with the status 500. */
const TIMEOUTS: readonly string[] = ['Timeout', 'ServerTimeout'];

/** True when the server may have carried out the request despite this error. */
export function isUnanswered(error: unknown): boolean {
  if (!(error instanceof KubernetesApiError)) return true;
  if (TIMEOUTS.includes(error.reason)) return true;
  return error.status !== 429 && isOutage(error);
}

/**
 * The outcome of a creation that an earlier request may have carried out. A missing Job may have ended and may have
 * been deleted (`ttlSecondsAfterFinished`), so only a watch that has passed the present version shows whether the Job
 * existed. @throws any error of the reads, because the repeated attempt begins with these reads.
 */
export async function outcomeAfterNoAnswer(
  context: CronContext,
  { name }: Pick<CronCommandOf<'CreateJob'>, 'name'>,
): Promise<CronOutcomeOf<'CreateJob'>> {
  const found = await readJobNamed(context, name);
  if (found !== null) return outcomeOfExistingJob(context, found);
  return { kind: 'CreateJob', result: 'unknown', after: await readVersionOfJobs(context) };
}

/**
 * The outcome when a Job with the name of the start exists. A Job that the CronJob controls is the Job of the start
 * (J-9.38).
 */
export function outcomeOfExistingJob(context: CronContext, found: Job): CronOutcomeOf<'CreateJob'> {
  if (!isOurs(context, found)) return { kind: 'CreateJob', result: 'taken', by: controllerText(found) };
  return { ...createdOutcome(context, found), existing: true };
}

function controllerText({ metadata }: Job): string {
  const owner = findController(metadata);
  return owner === undefined ? 'which has no controller' : `which ${owner.kind} ${owner.name} controls`;
}

export function createdOutcome(
  { job: cronJob }: CronContext,
  job: Job,
): Extract<CronOutcomeOf<'CreateJob'>, { result: 'created' }> {
  const createdAt = job.metadata.creationTimestamp;
  return { kind: 'CreateJob', result: 'created', job: childFacts(job, cronJob.uid), createdAt };
}
