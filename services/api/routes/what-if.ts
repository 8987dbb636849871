import { z } from 'zod';
import type { PolicyChange, WhatIf } from '../../../workflows/history/what-if/types.ts';
import { whatIf } from '../../../workflows/history/what-if/what-if.ts';
import { InputError } from '../../adapters/errors.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { ProblemError } from '../../adapters/http/problem.ts';
import { policyChange } from '../../contracts/policy-change.ts';
import { streamOf } from '../../read-model/stream.ts';
import { jobOf, type ReadTransaction } from '../reads.ts';
import * as values from '../schemas/values.ts';
import { whatIfSchema } from '../schemas/what-if.ts';
import { answered, requireShort } from '../short-streams.ts';

const change = values
  .textUpTo(10_000)
  .describe('Another value in the spec, such as backoffLimit=3; a policy as JSON; null removes the field');

/** Another policy applied to the recorded facts; corresponds to `jobledger what-if`. */
export function addWhatIfRoute(server: HttpServer, reads: ReadTransaction): void {
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/what-if',
    config: {
      scope: 'read',
      problems: ['unknown-job', 'ambiguous-job', 'too-long', 'broken-stream', 'newer-core'],
    },
    schema: {
      operationId: 'whatIf',
      summary: 'How and when the Job would have ended under another policy',
      tags: ['Why'],
      params: z.object({ job: values.jobName }),
      querystring: z.strictObject({
        ...values.whichJob,
        set: z.union([change, z.array(change).min(1)]),
      }),
      response: { 200: whatIfSchema },
    },
    handler: ({ params, query, caller }) => {
      const changed = changeIn([query.set].flat());
      return reads(caller, async (run, places) => {
        const job = await jobOf(run, { params, query }, places);
        await requireShort(run, job);
        const answer = whatIf(await streamOf(run, job), changed);
        if ('refused' in answer && answer.refused === 'invalid')
          throw new ProblemError('bad-request', `set: ${answer.words}`);
        return shown(answered(answer));
      });
    },
  });
}

/** @throws ProblemError for an invalid path or value. */
function changeIn(sets: readonly string[]): PolicyChange {
  try {
    return policyChange(sets, [], 'set');
  } catch (error) {
    if (error instanceof InputError) throw new ProblemError('bad-request', error.message);
    throw error;
  }
}

function shown({ unknownSince, podHours, ...rest }: WhatIf): z.infer<typeof whatIfSchema> {
  return { ...rest, unknown_since: unknownSince, pod_hours: podHours };
}
