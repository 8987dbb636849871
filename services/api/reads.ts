import type { EventEmitter } from 'node:events';
import type { Caller } from './access/caller.ts';
import type { Places } from '../adapters/places.ts';
import type { Database, Run } from '../adapters/postgres/database.ts';
import { findJob, type WantedJob } from '../read-model/find-job.ts';
import type { JobView } from '../read-model/views.ts';

/** A request whose response needs rows. */
export interface ReadRequest {
  caller: Caller;
  raw: { socket: EventEmitter };
}

/**
 * Runs the queries of one response to a caller on one read-only snapshot, with the places that the caller may see.
 * Ends them if the caller closes its connection.
 */
export type ReadTransaction = <T>(
  request: ReadRequest,
  work: (run: Run, places: Places) => Promise<T>,
) => Promise<T>;

/** The time until an abandoned query ends. */
const NOTICED_WITHIN = '1s';

const BEGIN = `set transaction isolation level repeatable read, read only;
  set local client_connection_check_interval = '${NOTICED_WITHIN}'`;

export function readsOf(database: Database): ReadTransaction {
  return async ({ caller: { places }, raw: { socket } }, work) => {
    const left = new AbortController();
    const leave = (): void => left.abort();
    socket.once('close', leave);
    try {
      return await onSnapshot(database, (run) => work(run, places), left.signal);
    } finally {
      socket.off('close', leave);
    }
  };
}

/** Runs queries on one read-only snapshot, until the signal is aborted. */
export function onSnapshot<T>(
  database: Database,
  work: (run: Run) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return database.transaction(async (run) => {
    await run({ text: BEGIN, values: [] });
    return work(run);
  }, signal);
}

/** How a route identifies a Job: its name, narrowed down by the query. */
export interface NamedJob {
  params: { job: string };
  query: { cluster?: string | undefined; namespace?: string | undefined; uid?: string | undefined };
}

/** The Job of a route, if the caller may see it. @throws UnknownJobError, AmbiguousJobError. */
export function jobOf(run: Run, named: NamedJob, places: Places): Promise<JobView> {
  return findJob(run, wanted(named.params.job, named.query, places));
}

/** Builds the search for a Job from a name and a query. */
export function wanted(
  name: string,
  { cluster, namespace, uid }: NamedJob['query'],
  places: Places,
): WantedJob {
  return {
    name,
    places,
    ...(cluster !== undefined && { cluster }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
  };
}
