import { ApplicationFailure } from '@temporalio/activity';
import type { CarryOutInput, CronCarryOutInput, JobRef } from '../../../workflows/activities.ts';

/**
 * Fails for good when a decision does not say exactly what it is about: a request without a UID would concern any object of that
 * name. No workflow of ours sends one; others may have access to Temporal.
 */
export function requireTargets(cluster: string, { job, decided: { data } }: CarryOutInput): void {
  requireRef(cluster, job);
  if (data.cluster !== cluster || data.jobUid !== job.uid) throw refused('it was decided about another Job');
  // Pods to create have no UID yet.
  for (const command of data.commands)
    if (command.kind !== 'CreatePods' && 'pods' in command) command.pods.forEach(requireIdentified);
}

/** As `requireTargets`, for a CronJob and its Jobs. */
export function requireCronTargets(cluster: string, { job, decided: { data } }: CronCarryOutInput): void {
  requireRef(cluster, job);
  if (data.cluster !== cluster || data.cronJobUid !== job.uid)
    throw refused('it was decided about another CronJob');
  for (const command of data.commands) if ('jobs' in command) command.jobs.forEach(requireIdentified);
}

function requireRef(cluster: string, job: JobRef): void {
  if (job.cluster !== cluster) throw refused('it is about another cluster');
  if (!isText(job.namespace)) throw refused('it names no namespace');
  requireIdentified(job);
}

function requireIdentified({ uid, name }: { uid?: unknown; name?: unknown }): void {
  if (!isText(uid) || !isText(name)) throw refused('it names an object without UID or name');
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function refused(why: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`The decision is not carried out: ${why}.`, 'Refused');
}
