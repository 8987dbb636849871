import type { ListedJob } from '../api/rows.ts';

type Choosable = Pick<ListedJob, 'claimed' | 'suspend' | 'finished_at' | 'deleted_at'>;

/** The Jobs that a request would change: open Jobs of Jobledger that do not have the requested state already. */
export function requestableJobs<T extends Choosable>(jobs: readonly T[], request: 'suspend' | 'resume'): T[] {
  return jobs.filter(
    ({ claimed, suspend, finished_at: finished, deleted_at: deleted }) =>
      claimed && finished === null && deleted === null && suspend === (request === 'resume'),
  );
}

export interface BulkOutcome {
  name: string;
  /** The value is null when the request succeeded. */
  problem: string | null;
}

/** Sends a request about each Job, one after the other, so that many requests do not overload the API. */
export async function runInTurn<T extends { name: string }>(
  jobs: readonly T[],
  work: (job: T) => Promise<unknown>,
): Promise<BulkOutcome[]> {
  const outcomes: BulkOutcome[] = [];
  for (const job of jobs)
    try {
      await work(job);
      outcomes.push({ name: job.name, problem: null });
    } catch (error) {
      outcomes.push({ name: job.name, problem: error instanceof Error ? error.message : String(error) });
    }
  return outcomes;
}
