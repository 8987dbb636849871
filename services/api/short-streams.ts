import { isRefused, type Refused } from '../../workflows/history/refused.ts';
import { isWithin } from '../adapters/places.ts';
import { ProblemError } from '../adapters/http/problem.ts';
import type { Run } from '../adapters/postgres/database.ts';
import { sql } from '../adapters/postgres/statement.ts';
import { readPlacements } from '../read-model/queries/placements.ts';
import type { JobView } from '../read-model/views/jobs.ts';
import { findNamedJob, type NamedJob, type ReadRequest, type ReadTransaction } from './reads.ts';

interface JobKey {
  cluster: string;
  uid: string;
}

/**
 * The longest stream that is folded in a request, in events. A longer stream would take too long; the command line has
 * no such limit.
 */
const LONGEST = 20_000;

/** The configuration of a route that folds the stream of one Job. */
export const FOLDS_A_JOB = {
  scope: 'read',
  problems: ['unknown-job', 'ambiguous-job', 'too-long', 'broken-stream', 'newer-core'],
} as const;

/** Finds the Job of a route, whose stream must be short enough to be folded in a request. @throws the errors of `findNamedJob` and `requireShort`. */
export function findJobToFold(reads: ReadTransaction, request: ReadRequest & NamedJob): Promise<JobView> {
  return reads(request, async (run, places) => requireShort(run, await findNamedJob(run, request, places)));
}

/**
 * Finds a Job and, if it is placed, the members that the caller may see. All their streams together can be folded in a
 * request. @throws the errors of `findJobToFold`.
 */
export function shortJobWithMembers(
  reads: ReadTransaction,
  request: ReadRequest & NamedJob,
): Promise<{ job: JobView; members: JobKey[] }> {
  return reads(request, async (run, places) => {
    const job = await findNamedJob(run, request, places);
    const placements = await readPlacements(run, job);
    const members = placements.flatMap(({ placed_in: cluster, member_uid: uid }) =>
      uid !== null && isWithin(places, cluster, job.namespace) ? [{ cluster, uid }] : [],
    );
    const lengths = await streamLengths(run, [job, ...members]);
    if (isTooLong(lengths.reduce((sum, length) => sum + length, 0)))
      throw new ProblemError('too-long', TOO_LONG);
    return { job, members };
  });
}

/** Returns the given Job. @throws ProblemError when its stream is too long to be folded in a request. */
export async function requireShort<Job extends JobKey>(run: Run, job: Job): Promise<Job> {
  const [length] = await streamLengths(run, [job]);
  if (isTooLong(length ?? 0)) throw new ProblemError('too-long', TOO_LONG);
  return job;
}

/**
 * The longest stream of a CronJob, in events. The limit is lower, because simulating the starts takes longer than
 * folding the events.
 */
const LONGEST_OF_CRON_JOB = 5000;

/**
 * Checks the stream of a CronJob.
 * @throws ProblemError when the stream is too long to be replayed with another spec in a request.
 */
export async function requireShortCronJob(run: Run, { cluster, uid }: JobKey): Promise<void> {
  const [counted] = await run<{ events: number }>(
    sql`select count(*)::integer as events from (select from jobledger.cron_job_events
      where cluster = ${cluster} and cron_job_uid = ${uid} limit ${LONGEST_OF_CRON_JOB + 1}) counted`,
  );
  if ((counted?.events ?? 0) > LONGEST_OF_CRON_JOB)
    throw new ProblemError(
      'too-long',
      `the CronJob has more than ${LONGEST_OF_CRON_JOB} events; use the jobledger command instead`,
    );
}

/** The numbers of events of the Jobs, in the order of the Jobs; the number of a longer stream is one above the limit. */
export async function streamLengths(run: Run, jobs: readonly JobKey[]): Promise<number[]> {
  const [clusters, uids] = [jobs.map(({ cluster }) => cluster), jobs.map(({ uid }) => uid)];
  const rows = await run<{ events: number }>(
    sql`select (select count(*)::integer from (
        select from jobledger.events where events.cluster = job.cluster and job_uid = job.uid limit ${LONGEST + 1}
      ) counted) as events
      from unnest(${clusters}::text[], ${uids}::text[]) with ordinality as job (cluster, uid, place) order by place`,
  );
  return rows.map(({ events }) => events);
}

/** True when a stream with this number of events is too long to be folded in a request. */
export function isTooLong(events: number): boolean {
  return events > LONGEST;
}

export const TOO_LONG = `the Job has more than ${LONGEST} events; use the jobledger command instead`;

const PROBLEMS = {
  invalid: 'not-seen-yet',
  unknown: 'not-found',
  broken: 'broken-stream',
  newer: 'newer-core',
} as const;

/** Returns the core's result. @throws ProblemError when the core refused. */
export function requireAnswer<T extends object>(answer: T | Refused): T {
  if (!isRefused(answer)) return answer;
  throw new ProblemError(PROBLEMS[answer.refused], answer.message);
}
