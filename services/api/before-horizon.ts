import { ProblemError } from '../adapters/http/problem.ts';
import type { Run } from '../adapters/postgres/database.ts';
import { UnknownJobError } from '../read-model/queries/find-job.ts';
import { readHorizon, isBeforeHorizon } from '../read-model/state/horizon.ts';

/**
 * Runs a query about an instant. The problem "before the horizon" replaces the refusal of such an instant, and the
 * error for a Job that may have been removed.
 */
export async function withHorizonProblem<T>(at: string, run: Run, answer: () => Promise<T>): Promise<T> {
  const horizon = await readHorizon(run);
  try {
    return await answer();
  } catch (error) {
    const isUnknown =
      error instanceof UnknownJobError && horizon !== null && Date.parse(at) < Date.parse(horizon);
    if (!isBeforeHorizon(error) && !isUnknown) throw error;
    const detail = `${at} is before the horizon ${horizon}: Jobs that ended before the horizon were removed; the ledger still has their events`;
    throw new ProblemError('before-horizon', detail, { cause: error });
  }
}
