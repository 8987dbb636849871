import type { Database, Run } from '../adapters/postgres/database.ts';
import { findJob } from '../adapters/postgres/queries/find-job.ts';
import type { JobView } from '../adapters/postgres/queries/jobs.ts';

/** Asks the tables: all of one answer on one state of them, and nothing can be written. */
export type Reads = <T>(work: (run: Run) => Promise<T>) => Promise<T>;

export function readsOf(database: Database): Reads {
  return (work) =>
    database.transaction(async (run) => {
      await run({ text: 'set transaction isolation level repeatable read, read only', values: [] });
      return work(run);
    });
}

/** How a route names a Job: a name, and what a query narrows it down by. */
export interface NamedJob {
  params: { job: string };
  query: { cluster?: string | undefined; namespace?: string | undefined; uid?: string | undefined };
}

/** The Job that a route is about. @throws UnknownJobError, AmbiguousJobError. */
export function jobOf(run: Run, { params, query }: NamedJob): Promise<JobView> {
  const { cluster, namespace, uid } = query;
  return findJob(run, {
    name: params.job,
    ...(cluster !== undefined && { cluster }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
  });
}
