import type { EventEmitter } from 'node:events';
import { whoIs, type Caller } from './access/caller.ts';
import { createFairTurns } from './fair-turns.ts';
import { ProblemError } from '../adapters/http/problem.ts';
import { isWithin, type Places } from '../adapters/places.ts';
import type { Database, Run } from '../adapters/postgres/database.ts';
import { findJob, type WantedJob } from '../read-model/queries/find-job.ts';
import { selectHome } from '../read-model/queries/job-details.ts';
import type { HomeView } from '../read-model/views/placements.ts';
import type { JobView } from '../read-model/views/jobs.ts';

/** A request whose response needs rows. */
export interface ReadRequest {
  caller: Caller;
  raw: { socket: EventEmitter };
}

/**
 * Runs the queries of one response to a caller on one read-only snapshot, with the places that the caller may see.
 * The queries end if the caller closes its connection. A caller can use only a part of the connections, so that its
 * queries do not delay other callers. @throws ProblemError when too many requests of the caller wait, or a request has
 * taken too long.
 */
export type ReadTransaction = <T>(
  request: ReadRequest,
  work: (run: Run, places: Places) => Promise<T>,
) => Promise<T>;

/** The time until an abandoned query ends. */
const NOTICED_WITHIN = '1s';

const BEGIN = `set transaction isolation level repeatable read, read only;
  set local client_connection_check_interval = '${NOTICED_WITHIN}'`;

/** The number of connections to Postgres, and the maximum number for the reads of one caller. */
export const CONNECTIONS = 8;
const CONNECTIONS_OF_CALLER = 4;
/** The number of connections that remain for readiness checks and event streams. */
const CONNECTIONS_OF_PROBES = 2;
/** The maximum number of requests of one caller that wait for a connection. */
const WAITING_OF_CALLER = 100;

/** `withinMs` is the longest time for the wait and the queries of one call together, in milliseconds. */
export function createReads(database: Pick<Database, 'transaction'>, withinMs = 10_000): ReadTransaction {
  const turns = createFairTurns({
    most: CONNECTIONS - CONNECTIONS_OF_PROBES,
    mostOfCaller: CONNECTIONS_OF_CALLER,
    mostWaiting: WAITING_OF_CALLER,
  });
  return async ({ caller, raw: { socket } }, work) => {
    const over = new AbortController();
    const leave = (): void => over.abort();
    socket.once('close', leave);
    const limit = setTimeout(() => over.abort(tooLongProblem()), withinMs);
    try {
      return await turns(whoIs(caller), over.signal, () =>
        onSnapshot(database, (run) => work(run, caller.places), over.signal),
      );
    } finally {
      clearTimeout(limit);
      socket.off('close', leave);
    }
  };
}

function tooLongProblem(): ProblemError {
  return new ProblemError(
    'timeout',
    'the queries take too long; filter for fewer results, or request a smaller page',
  );
}

/** Runs queries on one read-only snapshot, until the signal is aborted. */
export function onSnapshot<T>(
  database: Pick<Database, 'transaction'>,
  work: (run: Run) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return database.transaction(async (run) => {
    await run({ text: BEGIN, values: [] });
    return work(run);
  }, signal);
}

/** The identification of a Job in a route: its name, and further parts in the query. */
export interface NamedJob {
  params: { job: string };
  query: { cluster?: string | undefined; namespace?: string | undefined; uid?: string | undefined };
}

/** The Job of a route, if the caller may see it. @throws UnknownJobError, AmbiguousJobError. */
export function findNamedJob(run: Run, named: NamedJob, places: Places): Promise<JobView> {
  return findJob(run, wantedJob(named.params.job, named.query, places));
}

/** The placed Job that this Job runs, if the caller may see it. */
export async function visibleHome(run: Run, job: JobView, places: Places): Promise<HomeView | null> {
  const homes = job.member ? await run<HomeView>(selectHome(job)) : [];
  return homes.find(({ cluster, namespace }) => isWithin(places, cluster, namespace)) ?? null;
}

/** Builds the search for a Job from a name and a query. */
export function wantedJob(
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
