import { z } from 'zod';
import type { Claim } from '../../../workflows/kubernetes/names.ts';
import { ProblemError } from '../../adapters/http/problem.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { fullName } from '../../read-model/views/full-name.ts';
import type { JobView } from '../../read-model/views/jobs.ts';
import { createRightCheck } from '../cluster-rights.ts';
import { findNamedJob, type ReadRequest, type ReadTransaction } from '../reads.ts';
import * as values from '../schemas/values.ts';
import { createdSchema } from '../schemas/job.ts';
import { clientOfCluster, locationHeader, createdResponse } from '../submission/created.ts';
import { jobInCluster, jobInLedger } from '../submission/earlier-job.ts';
import { submittedManifest, type Manifest } from '../submission/manifest.ts';
import { NotRetriableError, retriedManifest, withUnfinishedIndexes } from '../submission/retried.ts';
import { requirePlacedWithin } from '../submission/placed-within.ts';
import { submitJob } from '../submission/submit.ts';
import type { RequireOrdinary } from '../submission/reserved.ts';
import type { Submissions } from '../submission/submissions.ts';

interface RetryDependencies {
  reads: ReadTransaction;
  clusters: readonly KubernetesClient[];
  claim: Claim;
  requireOrdinary: RequireOrdinary;
  submissions: Submissions;
}

/** Creates a Job that repeats the work of an ended Job. */
export function addRetryRoute(
  server: HttpServer,
  { reads, clusters, claim, requireOrdinary, submissions }: RetryDependencies,
): void {
  const requireRight = createRightCheck(clusters);
  /**
   * The manifest comes from the cluster while it has the Job, because the cluster's object is complete. Otherwise the
   * manifest comes from the ledger.
   */
  const retryManifest = async (
    { caller, raw }: ReadRequest,
    job: JobView,
    {
      new_name: name,
      failed_indexes: failedIndexes,
    }: { new_name?: string | undefined; failed_indexes: string },
  ): Promise<Manifest> => {
    const client = clientOfCluster(clusters, job.cluster, caller.places);
    const earlier =
      (await jobInCluster(client, job)) ?? (await reads({ caller, raw }, (run) => jobInLedger(run, job)));
    const whole = retriedManifest(earlier, name);
    const manifest = failedIndexes === 'true' ? withUnfinishedIndexes(whole, earlier, claim) : whole;
    return submittedManifest(manifest, { claim, by: caller.name });
  };
  server.route({
    method: 'POST',
    url: '/v1/jobs/:job/retry',
    config: {
      scope: 'submit',
      problems: ['unknown-job', 'ambiguous-job', 'not-found', 'conflict', 'refused-by-cluster'],
    },
    schema: {
      operationId: 'retryJob',
      summary: 'Create a Job that does the work of an ended one again',
      description:
        'The new Job has the labels, annotations and spec of the earlier Job. They come from the cluster while it has the earlier Job, and otherwise from the ledger if the ledger contains the whole spec. Its annotation jobledger.dev/retry-of names the earlier Job by its uid. With a name, a repeated request is a conflict and creates no second Job.',
      tags: ['Operate'],
      params: z.object({ job: values.jobName }),
      querystring: z.strictObject({
        ...values.whichJob,
        new_name: values.jobName
          .optional()
          .describe('The name of the new Job. The default is the earlier name and five characters'),
        failed_indexes: z
          .enum(['true', 'false'])
          .default('false')
          .describe('Run only the indexes of an Indexed Job that have not succeeded'),
        dry_run: z
          .enum(['true', 'false'])
          .default('false')
          .describe('Only validate the Job, and create nothing'),
      }),
      response: {
        200: createdSchema.describe('The Job would be created'),
        201: createdSchema.describe('The Job was created'),
      },
    },
    handler: async ({ params, query, caller, raw }, reply) => {
      const job = await reads({ caller, raw }, (run, places) => findNamedJob(run, { params, query }, places));
      const { cluster, namespace, name } = job;
      requireOrdinary(caller, cluster, namespace);
      await requireRight(caller, cluster, { verb: 'get', namespace, name });
      await requireRight(caller, cluster, { verb: 'create', namespace });
      if (job.finished_at === null && job.deleted_at === null)
        throw refusalProblem(job, 'it has not ended; wait for the end of the Job, or submit another Job');
      const manifest = await retryManifest({ caller, raw }, job, query).catch((error: unknown) => {
        throw error instanceof NotRetriableError ? refusalProblem(job, error.message) : error;
      });
      requirePlacedWithin(caller, namespace, manifest);
      const dryRun = query.dry_run === 'true';
      const client = clientOfCluster(clusters, cluster, caller.places);
      const of = { submissions, by: caller.name, retryOf: { uid: job.uid, name }, dryRun };
      const created = createdResponse(cluster, await submitJob(client, manifest, of), dryRun);
      if (!dryRun) reply.header('location', locationHeader(created));
      return reply.code(dryRun ? 200 : 201).send(created);
    },
  });
}

function refusalProblem(job: JobView, reason: string): ProblemError {
  return new ProblemError('conflict', `cannot retry ${fullName(job)}: ${reason}`);
}
