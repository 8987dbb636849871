import type { Database, Run } from '../adapters/postgres/database.ts';
import { findJob, type WantedJob } from '../read-model/find-job.ts';
import type { JobView } from '../read-model/views.ts';

/** Runs the queries of one response on one read-only snapshot. */
export type ReadTransaction = <T>(work: (run: Run) => Promise<T>) => Promise<T>;

export function readsOf(database: Database): ReadTransaction {
  return (work) =>
    database.transaction(async (run) => {
      await run({ text: 'set transaction isolation level repeatable read, read only', values: [] });
      return work(run);
    });
}

/** How a route identifies a Job: its name, narrowed down by the query. */
export interface NamedJob {
  params: { job: string };
  query: { cluster?: string | undefined; namespace?: string | undefined; uid?: string | undefined };
}

/** The Job of a route. @throws UnknownJobError, AmbiguousJobError. */
export function jobOf(run: Run, named: NamedJob): Promise<JobView> {
  return findJob(run, wanted(named.params.job, named.query));
}

/** Builds the search for a Job from a name and a query. */
export function wanted(name: string, { cluster, namespace, uid }: NamedJob['query']): WantedJob {
  return {
    name,
    ...(cluster !== undefined && { cluster }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
  };
}
