import { z } from 'zod';
import type { Question } from '../../../workflows/history/why/types.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { findJobOfPod } from '../../read-model/queries/find-pod.ts';
import type { JobView } from '../../read-model/views/jobs.ts';
import { foldTimeout, type Folds } from '../folds/folds.ts';
import type { StreamKey } from '../folds/questions.ts';
import { wantedJob, type ReadRequest, type ReadTransaction } from '../reads.ts';
import * as values from '../schemas/values.ts';
import { whySchema } from '../schemas/why.ts';
import {
  requireAnswer,
  FOLDS_A_JOB,
  requireShort,
  findJobToFold,
  shortJobWithMembers,
} from '../short-streams.ts';

/** The chains of causes, like `jobledger why`. */
export function addWhyRoutes(server: HttpServer, reads: ReadTransaction, folds: Folds): void {
  const explain = async (
    request: ReadRequest,
    job: JobView,
    question: Question,
    members: readonly StreamKey[] = [],
  ) => requireAnswer(await folds.ask(request, { kind: 'why', job, question, members }));
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/why',
    handlerTimeout: foldTimeout(folds),
    config: FOLDS_A_JOB,
    schema: {
      operationId: 'whyJob',
      summary:
        'The reasons why the Job is in its present state, or why each command of a decision was issued, and the waits',
      tags: ['Why'],
      params: z.object({ job: values.jobName }),
      querystring: z.strictObject({
        ...values.whichJob,
        decision_number: values.decisionNumber.optional(),
      }),
      response: { 200: whySchema },
    },
    handler: async (request) => {
      const job = await findJobToFold(reads, request);
      const { decision_number: number } = request.query;
      return explain(request, job, number === undefined ? { about: 'job' } : { about: 'decision', number });
    },
  });
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/why/index',
    handlerTimeout: foldTimeout(folds),
    config: FOLDS_A_JOB,
    schema: {
      operationId: 'whyIndex',
      summary:
        'The reasons why each pod of an index was created, and its end; for a placed Job also the clusters that could run the index, and the reasons for its moves',
      tags: ['Why'],
      params: z.object({ job: values.jobName }),
      querystring: z.strictObject({ ...values.whichJob, index: values.completionIndex }),
      response: { 200: whySchema },
    },
    handler: async (request) => {
      const { job, members } = await shortJobWithMembers(reads, request);
      return explain(request, job, { about: 'index', index: request.query.index }, members);
    },
  });
  server.route({
    method: 'GET',
    url: '/v1/pods/:pod/why',
    handlerTimeout: foldTimeout(folds),
    config: FOLDS_A_JOB,
    schema: {
      operationId: 'whyPod',
      summary: 'The reason why the pod was created, and its end',
      tags: ['Why'],
      params: z.object({ pod: values.podNameParameter }),
      querystring: z.strictObject(values.whichJob),
      response: { 200: whySchema },
    },
    handler: async ({ params: { pod }, query, caller, raw }) => {
      const job = await reads({ caller, raw }, async (run, places) =>
        requireShort(run, await findJobOfPod(run, wantedJob(pod, query, places))),
      );
      return explain({ caller, raw }, job, { about: 'pod', pod });
    },
  });
}
