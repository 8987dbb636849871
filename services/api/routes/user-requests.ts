import { z } from 'zod';
import { ProblemError } from '../../adapters/http/problem.ts';
import type { HttpServer } from '../../adapters/http/server.ts';
import type { JobView } from '../../read-model/jobs.ts';
import { requireRequestable, RefusedRequestError, type UserRequest } from '../../contracts/user-requests.ts';
import { jobOf, type Reads } from '../reads.ts';
import * as values from '../schemas/values.ts';

const askedSchema = z
  .object({
    asked: z.enum(['suspend', 'resume']),
    by: z.string().describe('As it will stand in the ledger'),
    cluster: z.string(),
    namespace: z.string(),
    name: z.string(),
    uid: z.string(),
  })
  .meta({ id: 'Asked' });

/** Records what somebody wants of a Job: from the ledger its workflow hears of it. */
export type Ask = (job: JobView, wish: UserRequest, by: string) => Promise<void>;

/** Suspend and resume: wishes that are recorded under a name before they are fulfilled. */
export function addUserRequestRoutes(server: HttpServer, dependencies: { reads: Reads; ask: Ask }): void {
  addUserRequest(server, dependencies, 'suspend', 'Ask to stop the pods of a Job until it is resumed');
  addUserRequest(server, dependencies, 'resume', 'Ask to let a suspended Job run again');
}

function addUserRequest(
  server: HttpServer,
  { reads, ask }: { reads: Reads; ask: Ask },
  wish: UserRequest,
  summary: string,
): void {
  server.route({
    method: 'POST',
    url: `/v1/jobs/:job/${wish}`,
    config: { scope: 'operate' },
    schema: {
      operationId: `${wish}Job`,
      summary,
      description: 'It stands in the ledger when this answers; the events of the Job tell what comes of it.',
      tags: ['Operate'],
      params: z.object({ job: values.jobName }),
      querystring: z.strictObject({
        ...values.whichJob,
        by: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .describe('For whom; the name of the token is recorded as well'),
      }),
      response: { 202: askedSchema },
    },
    handler: async ({ params, query, caller }, reply) => {
      const job = await reads((run) => jobOf(run, { params, query }));
      const by = query.by === undefined ? caller.name : `${query.by} (by ${caller.name})`;
      await asked(async () => {
        requireRequestable(job, wish);
        await ask(job, wish, by);
      });
      const { cluster, namespace, name, uid } = job;
      return reply.code(202).send({ asked: wish, by, cluster, namespace, name, uid });
    },
  });
}

async function asked(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof RefusedRequestError ? new ProblemError('conflict', error.message) : error;
  }
}
