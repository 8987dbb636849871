import { z } from 'zod';
import type { Question } from '../../../workflows/history/why/types.ts';
import { why } from '../../../workflows/history/why/why.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { findJobOfPod } from '../../read-model/find-pod.ts';
import type { JobView } from '../../read-model/views.ts';
import { historyOf } from '../../read-model/stream.ts';
import { jobOf, wanted, type ReadTransaction } from '../reads.ts';
import * as values from '../schemas/values.ts';
import { whySchema } from '../schemas/why.ts';
import { answered, requireShort } from '../short-streams.ts';

/** Chains of causes; corresponds to `jobledger why`. */
export function addWhyRoutes(server: HttpServer, reads: ReadTransaction): void {
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/why',
    config: {
      scope: 'read',
      problems: ['unknown-job', 'ambiguous-job', 'too-long', 'broken-stream', 'newer-core'],
    },
    schema: {
      operationId: 'whyJob',
      summary:
        'Why the Job is in its present state, or why each command of a decision was issued, and what was not done meanwhile',
      tags: ['Why'],
      params: z.object({ job: values.jobName }),
      querystring: z.strictObject({
        ...values.whichJob,
        decision: values.decisionNumber.optional(),
      }),
      response: { 200: whySchema },
    },
    handler: ({ params, query, caller, raw }) =>
      reads({ caller, raw }, async (run, places) => {
        const job = await jobOf(run, { params, query }, places);
        const { decision } = query;
        return whyOf(
          run,
          job,
          decision === undefined ? { about: 'job' } : { about: 'decision', number: decision },
        );
      }),
  });
  server.route({
    method: 'GET',
    url: '/v1/pods/:pod/why',
    config: {
      scope: 'read',
      problems: ['unknown-job', 'ambiguous-job', 'too-long', 'broken-stream', 'newer-core'],
    },
    schema: {
      operationId: 'whyPod',
      summary: 'Why the pod was created and how it ended',
      tags: ['Why'],
      params: z.object({ pod: values.podNameParameter }),
      querystring: z.strictObject(values.whichJob),
      response: { 200: whySchema },
    },
    handler: ({ params: { pod }, query, caller, raw }) =>
      reads({ caller, raw }, async (run, places) => {
        const job = await findJobOfPod(run, wanted(pod, query, places));
        return whyOf(run, job, { about: 'pod', pod });
      }),
  });
}

async function whyOf(run: Run, job: JobView, question: Question): Promise<z.infer<typeof whySchema>> {
  await requireShort(run, job);
  return answered(why(await historyOf(run, job), question));
}
