import type { Client } from '@temporalio/client';
import { InputError, UnavailableError } from '../errors.ts';
import { fullName } from '../postgres/queries/find-job.ts';
import type { JobView } from '../postgres/queries/jobs.ts';
import { signalWish } from './job-workflows.ts';

/** What a person can ask of a Job. */
export type Wish = 'suspend' | 'resume';

/** The Job as it is cannot be asked that. */
export class RefusedWishError extends InputError {
  override readonly name = 'RefusedWishError';
}

/** Refuses what can be known to be vain, before anything is sent. @throws RefusedWishError with the reason. */
export function requireAskable(job: JobView, wish: Wish): void {
  const refusal = refusalOf(job);
  if (refusal !== null) throw new RefusedWishError(`${fullName(job)} cannot be asked to ${wish}: ${refusal}`);
}

/** What the tables know may be a moment old: the workflow has the last word, and its refusal is in the ledger. */
function refusalOf(job: JobView): string | null {
  if (job.deleted_at !== null) return `it was deleted at ${job.deleted_at}`;
  if (job.finished_at !== null) return `it is ${job.status} since ${job.finished_at}`;
  if (!job.claimed) return `${job.managed_by ?? "the cluster's own Job controller"} drives it, not Jobledger`;
  return null;
}

/**
 * Tells the Job's workflow; `by` is who wants it, for the ledger.
 * @throws RefusedWishError when no workflow of it runs, UnavailableError when Temporal does not answer.
 */
export async function askFor(client: Client, job: JobView, wish: Wish, by: string): Promise<void> {
  try {
    await signalWish(client, job, wish, { by });
  } catch (cause) {
    throw notRunning(cause)
      ? new RefusedWishError(`no workflow of ${fullName(job)} runs; is its worker up?`)
      : new UnavailableError('Temporal does not take the wish', { cause });
  }
}

/** The client library's name for a workflow that is not there. */
function notRunning(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowNotFoundError';
}
