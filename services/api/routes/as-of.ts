import { z } from 'zod';
import { ProblemError } from '../../adapters/http/problem.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import type { Places } from '../../adapters/places.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { fullName } from '../../read-model/views/full-name.ts';
import { namedCursor, pageFrom } from '../cursor.ts';
import { withHorizonProblem } from '../before-horizon.ts';
import { firstSeen, jobAsOf, jobsAsOf, jobSeen } from '../queries/as-of.ts';
import { findNamedJob, type ReadTransaction } from '../reads.ts';
import { jobAsOfSchema } from '../schemas/job.ts';
import * as values from '../schemas/values.ts';

type Row = z.infer<typeof jobAsOfSchema>;

/** The status of Jobs at an instant, as seen by that instant. */
export function addAsOfRoutes(server: HttpServer, reads: ReadTransaction): void {
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/as-of',
    config: { scope: 'read', problems: ['unknown-job', 'ambiguous-job', 'not-seen-yet', 'before-horizon'] },
    schema: {
      operationId: 'getJobAsOf',
      summary: 'The status of a Job as seen by an instant',
      tags: ['As of'],
      params: z.object({ job: values.jobName }),
      querystring: z.strictObject({ ...values.whichJob, at: values.instantParameter }),
      response: { 200: jobAsOfSchema },
    },
    handler: ({ params, query, caller, raw }) =>
      reads({ caller, raw }, (run, places) =>
        withHorizonProblem(query.at, run, async () => {
          const job = await findNamedJob(run, { params, query }, places);
          // Without a uid, the route finds the Job that had the name at that time, which may not be the newest Job.
          const statement = query.uid === undefined ? jobAsOf(query.at, job) : jobSeen(query.at, job);
          const [row] = await run<Row>(statement);
          if (row !== undefined) return row;
          const detail = `nothing was seen of ${fullName(job)} by ${query.at}; it was first seen at ${job.first_seen_at}`;
          throw new ProblemError('not-seen-yet', detail);
        }),
      ),
  });
  server.route({
    method: 'GET',
    url: '/v1/as-of',
    config: { scope: 'read', problems: ['not-seen-yet', 'before-horizon'] },
    schema: {
      operationId: 'listJobsAsOf',
      summary: 'Every Job that existed at an instant, with its status as seen by that instant',
      tags: ['As of'],
      querystring: z.strictObject({
        at: values.instantParameter,
        cluster: values.clusterName.optional(),
        namespace: values.namespaceName.optional(),
        limit: values.limit,
        cursor: namedCursor.optional(),
      }),
      response: { 200: values.pageSchema(jobAsOfSchema) },
    },
    handler: ({ query, caller, raw }) =>
      reads({ caller, raw }, (run, places) =>
        withHorizonProblem(query.at, run, async () => {
          const found = await run<Row>(jobsAsOf(query.at, query, query.cursor ?? null, query.limit, places));
          if (found.length === 0) await requireSeen(run, query.at, places);
          return pageFrom(found, query.limit, (last) => [last.cluster, last.namespace, last.name, last.uid]);
        }),
      ),
  });
}

/** Requires that the ledger reaches back to an instant, because an empty list is not a valid response for an earlier instant. */
async function requireSeen(run: Run, at: string, places: Places): Promise<void> {
  const [row] = await run<{ at: string | null }>(firstSeen(places));
  const first = row?.at ?? null;
  if (first !== null && Date.parse(at) >= Date.parse(first)) return;
  const since = first === null ? 'it contains no Job yet' : `its first Job was seen at ${first}`;
  throw new ProblemError('not-seen-yet', `the ledger does not reach back to ${at}; ${since}`);
}
