import { z } from 'zod';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { jobsOfChain, linksOfChain, type ChainJob, type ChainLink } from '../queries/chain.ts';
import { findNamedJob, type ReadTransaction } from '../reads.ts';
import { chainSchema } from '../schemas/chain.ts';
import * as values from '../schemas/values.ts';

/** The maximum number of links in a response. */
const MOST_LINKS = 500;

/** The chains of Jobs that wait for other Jobs. */
export function addChainRoutes(server: HttpServer, reads: ReadTransaction): void {
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/chain',
    config: { scope: 'read', problems: ['unknown-job', 'ambiguous-job'] },
    schema: {
      operationId: 'getChain',
      summary:
        'The Jobs that this Job waits for or that wait for this Job, directly or through other Jobs, and their states',
      tags: ['Jobs'],
      params: z.object({ job: values.jobName }),
      querystring: z.strictObject(values.whichJob),
      response: { 200: chainSchema },
    },
    handler: (request) =>
      reads(request, async (run, places) => {
        const job = await findNamedJob(run, request, places);
        const found = await run<ChainLink>(linksOfChain(job, MOST_LINKS));
        const links = found.slice(0, MOST_LINKS);
        const awaited = links.flatMap(({ awaited_uid: uid }) => uid ?? []);
        const uids = new Set([job.uid, ...awaited, ...links.map(({ waiting_uid: uid }) => uid)]);
        const jobs = await run<ChainJob>(jobsOfChain(job, [...uids]));
        return { jobs, links, complete: found.length === links.length };
      }),
  });
}
