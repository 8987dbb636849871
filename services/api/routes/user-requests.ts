import { z } from 'zod';
import { ProblemError } from '../../adapters/http/problem.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { JobView } from '../../read-model/views/jobs.ts';
import { requireRequestable, RefusedRequestError, type UserRequest } from '../../requests/user-requests.ts';
import { createRightCheck } from '../cluster-rights.ts';
import { visibleHome, findNamedJob, type ReadTransaction } from '../reads.ts';
import * as values from '../schemas/values.ts';

const userRequestSchema = z
  .object({
    action: z.enum(['suspend', 'resume']),
    by: z.string().describe('The user, as recorded in the ledger'),
    cluster: z.string(),
    namespace: z.string(),
    name: z.string(),
    uid: z.string(),
  })
  .meta({ id: 'UserRequest' });

/** Records a user request for a Job in the ledger, from which the Job's workflow receives it. */
export type SendUserRequest = (job: JobView, request: UserRequest, by: string) => Promise<void>;

interface UserRequestDependencies {
  reads: ReadTransaction;
  ask: SendUserRequest;
  clusters: readonly KubernetesClient[];
}

/** Suspend and resume. A request is recorded with the user's name before it is carried out. */
export function addUserRequestRoutes(server: HttpServer, dependencies: UserRequestDependencies): void {
  addUserRequest(server, dependencies, 'suspend', 'Request to stop the pods of a Job until it is resumed');
  addUserRequest(server, dependencies, 'resume', 'Request to let a suspended Job run again');
}

function addUserRequest(
  server: HttpServer,
  { reads, ask, clusters }: UserRequestDependencies,
  request: UserRequest,
  summary: string,
): void {
  const requireRight = createRightCheck(clusters);
  server.route({
    method: 'POST',
    url: `/v1/jobs/:job/${request}`,
    config: { scope: 'operate', problems: ['unknown-job', 'ambiguous-job', 'conflict'] },
    schema: {
      operationId: `${request}Job`,
      summary,
      description:
        'The API responds once the request is in the ledger; the events of the Job show the result.',
      tags: ['Operate'],
      params: z.object({ job: values.jobName }),
      querystring: z.strictObject({
        ...values.whichJob,
        by: values.userName
          .optional()
          .describe('The user that makes the request; the name of the token is recorded too'),
        dry_run: z
          .enum(['true', 'false'])
          .default('false')
          .describe('Only check that the request can be made; record nothing'),
      }),
      response: { 202: userRequestSchema },
    },
    handler: async ({ params, query, caller, raw }, reply) => {
      const { job, home } = await reads({ caller, raw }, async (run, places) => {
        const found = await findNamedJob(run, { params, query }, places);
        return { job: found, home: await visibleHome(run, found, places) };
      });
      const { cluster, namespace, name, uid } = job;
      await requireRight(caller, cluster, { verb: 'patch', namespace, name });
      const by = query.by === undefined ? caller.name : `${query.by} (by ${caller.name})`;
      await withConflictProblem(async () => {
        requireRequestable(job, request, home);
        if (query.dry_run === 'false') await ask(job, request, by);
      });
      return reply.code(202).send({ action: request, by, cluster, namespace, name, uid });
    },
  });
}

async function withConflictProblem(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof RefusedRequestError ? new ProblemError('conflict', error.message) : error;
  }
}
