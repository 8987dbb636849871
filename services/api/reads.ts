import type { Database, Run } from '../adapters/postgres/database.ts';
import { findJob, type WantedJob } from '../read-model/find-job.ts';
import type { JobView } from '../read-model/jobs.ts';

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
export function jobOf(run: Run, named: NamedJob): Promise<JobView> {
  return findJob(run, wanted(named.params.job, named.query));
}

/** What a name and a query tell of what is meant. */
export function wanted(name: string, { cluster, namespace, uid }: NamedJob['query']): WantedJob {
  return {
    name,
    ...(cluster !== undefined && { cluster }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
  };
}
