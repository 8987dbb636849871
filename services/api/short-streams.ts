import { isRefused, type Refused } from '../../workflows/history/refused.ts';
import { ProblemError } from '../adapters/http/problem.ts';
import type { Run } from '../adapters/postgres/database.ts';
import type { JobView } from '../read-model/views.ts';
import { sql } from '../adapters/postgres/statement.ts';

/** Folding longer streams would block other requests; the command line handles them. */
const LONGEST = 20_000;

/** @throws ProblemError for a Job whose stream is too long to be folded in a request. */
export async function requireShort(run: Run, { cluster, uid }: JobView): Promise<void> {
  const [row] = await run<{ events: string }>(
    sql`select count(*) as events from (
      select from jobledger.events where cluster = ${cluster} and job_uid = ${uid} limit ${LONGEST + 1}) counted`,
  );
  if (Number(row?.events ?? 0) <= LONGEST) return;
  throw new ProblemError(
    'too-long',
    `the Job has more than ${LONGEST} events; use the jobledger command instead`,
  );
}

const PROBLEMS = {
  invalid: 'not-seen-yet',
  unknown: 'not-found',
  broken: 'broken-stream',
  newer: 'newer-core',
} as const;

/** Returns the core's result. @throws ProblemError when the core refused. */
export function answered<T extends object>(answer: T | Refused): T {
  if (!isRefused(answer)) return answer;
  throw new ProblemError(PROBLEMS[answer.refused], answer.words);
}
