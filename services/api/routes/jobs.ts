import { z } from 'zod';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import {
  actionsOnJob,
  chainOfJob,
  obstaclesOfJob,
  selectConditions,
} from '../../read-model/queries/job-details.ts';
import { ANY, isWithin } from '../../adapters/places.ts';
import { findJobOfPod } from '../../read-model/queries/find-pod.ts';
import { readPlacements } from '../../read-model/queries/placements.ts';
import type {
  ChainView,
  ConditionView,
  JobView,
  ObstacleView,
  WhoView,
} from '../../read-model/views/jobs.ts';
import type { PlacementView } from '../../read-model/views/placements.ts';
import { withHorizonProblem } from '../before-horizon.ts';
import { cursorParameter, pageFrom, PARTS } from '../cursor.ts';
import { JOBS_ORDERS } from '../../read-model/shown/job-lists.ts';
import { jobsCursor, jobsPage, NEWEST_FIRST, cursorOrder, placeOfJob } from '../queries/jobs.ts';
import { placeOfPod, podsPage, type PlacedPod } from '../queries/pods.ts';
import { visibleHome, findNamedJob, wantedJob, type ReadTransaction } from '../reads.ts';
import { filterFields, toJobsFilter } from '../jobs-filter.ts';
import { jobSchema, jobWithConditionsSchema, placementSchema, podSchema } from '../schemas/job.ts';
import * as values from '../schemas/values.ts';

/** The pods are ordered by creation, as in `podsPage`. */
const podsCursor = cursorParameter(
  [PARTS.instant, PARTS.instant, PARTS.text, PARTS.text],
  ['2026-04-01T03:12:00Z', '2026-04-01T03:12:00Z', 'pi-x7k2p', '5b2f1c7e-8d4a-4f0e-9c66-2a1f0e6d7b11'],
);

const jobsQuery = z.strictObject({
  ...filterFields,
  sort: z
    .enum(JOBS_ORDERS)
    .default(NEWEST_FIRST)
    .describe(
      'The order of the Jobs; a minus sign reverses the order. In the order of ends, Jobs that have not ended are last',
    ),
  limit: values.limit,
  cursor: jobsCursor
    .optional()
    .describe('The value `next` of the previous page, unchanged, which keeps the order of that page'),
});

/** The present state of Jobs. */
export function addJobRoutes(server: HttpServer, reads: ReadTransaction): void {
  server.route({
    method: 'GET',
    url: '/v1/jobs',
    config: { scope: 'read' },
    schema: {
      operationId: 'listJobs',
      summary: 'Jobs with their present status; by default, the newest first',
      tags: ['Jobs'],
      querystring: jobsQuery,
      response: { 200: values.pageSchema(jobSchema) },
    },
    handler: async ({ query, caller, raw }) => {
      const { limit, cursor: after = null } = query;
      const order = cursorOrder(after) ?? query.sort;
      const found = await reads({ caller, raw }, (run, places) =>
        run<JobView>(jobsPage(toJobsFilter(query), { after, limit, order }, places)),
      );
      const { items, next } = pageFrom(found, limit, (last) => placeOfJob(last, order));
      return { items: items.map(shownJob), next };
    },
  });
  addJobRoute(server, reads);
  addJobOfPod(server, reads);
}

function addJobRoute(server: HttpServer, reads: ReadTransaction): void {
  const params = z.object({ job: values.jobName });
  const querystring = z.strictObject(values.whichJob);
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job',
    config: { scope: 'read', problems: ['unknown-job', 'ambiguous-job'] },
    schema: {
      operationId: 'getJob',
      summary: 'A Job: its present status, its reason to wait, and its conditions over time',
      tags: ['Jobs'],
      params,
      querystring,
      response: { 200: jobWithConditionsSchema },
    },
    handler: (request) =>
      reads(request, async (run, places) => {
        const job = await findNamedJob(run, request, places);
        const conditions = await run<ConditionView>(selectConditions(job));
        const home = await visibleHome(run, job, places);
        const chain = await run<ChainView>(chainOfJob(job));
        const who = await run<WhoView>(actionsOnJob(job));
        const obstacles = await run<ObstacleView>(obstaclesOfJob(job));
        return { ...shownJob(job), conditions, chain, who, obstacles, home };
      }),
  });
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/placements',
    config: { scope: 'read', problems: ['unknown-job', 'ambiguous-job', 'before-horizon'] },
    schema: {
      operationId: 'listPlacements',
      summary:
        'The clusters that got a placed Job, in order, each with its member, its reason and the end of its grant',
      tags: ['Jobs'],
      params,
      querystring: querystring.extend({
        at: values.instantParameter
          .optional()
          .describe(
            'The response contains what was known by this instant, RFC 3339 with a time zone. `stopping` and `overlapped` have no instant, and have their present values. The default is now',
          ),
      }),
      response: { 200: z.object({ items: z.array(placementSchema) }) },
    },
    handler: ({ params: named, query: { at, ...query }, caller, raw }) =>
      reads({ caller, raw }, async (run, places) => {
        const readItems = async () => {
          const job = await findNamedJob(run, { params: named, query }, places);
          const all = await readPlacements(run, job, at ?? null);
          // Only callers who may read the namespace in the other cluster get data about its pods.
          const visible = all.filter(({ placed_in: cluster }) => isWithin(places, cluster, job.namespace));
          return isWithin(places, ANY, job.namespace) ? visible : visible.map(withoutOtherClusters);
        };
        return { items: await (at === undefined ? readItems() : withHorizonProblem(at, run, readItems)) };
      }),
  });
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/pods',
    config: { scope: 'read', problems: ['unknown-job', 'ambiguous-job'] },
    schema: {
      operationId: 'listPods',
      summary: 'Every pod that the Job ever had, with the reasons for the creation and the end of the pod',
      tags: ['Jobs'],
      params,
      querystring: querystring.extend({ limit: values.limitOfPods, cursor: podsCursor.optional() }),
      response: { 200: values.pageSchema(podSchema) },
    },
    handler: ({ params: named, query, caller, raw }) =>
      reads({ caller, raw }, async (run, places) => {
        const job = await findNamedJob(run, { params: named, query }, places);
        const found = await run<PlacedPod>(podsPage(job, query.cursor ?? null, query.limit));
        return pageFrom(found, query.limit, placeOfPod);
      }),
  });
}

function addJobOfPod(server: HttpServer, reads: ReadTransaction): void {
  server.route({
    method: 'GET',
    url: '/v1/pods/:pod/job',
    config: { scope: 'read', problems: ['unknown-job', 'ambiguous-job'] },
    schema: {
      operationId: 'getJobOfPod',
      summary: 'The Job of a pod, even if the pod was only requested and never seen',
      tags: ['Jobs'],
      params: z.object({ pod: values.podNameParameter }),
      querystring: z.strictObject(values.whichJob),
      response: { 200: jobSchema },
    },
    handler: ({ params: { pod }, query, caller, raw }) =>
      reads({ caller, raw }, async (run, places) =>
        shownJob(await findJobOfPod(run, wantedJob(pod, query, places))),
      ),
  });
}

/** Shows a Job with its deadline as a number of seconds, because Postgres returns a bigint as text. */
function shownJob({ active_deadline_seconds: deadline, ...job }: JobView): z.infer<typeof jobSchema> {
  return { ...job, active_deadline_seconds: deadline === null ? null : Number(deadline) };
}

/**
 * Removes the part of the messages about other clusters, with their prices and free capacity, which follows the first semicolon.
 */
function withoutOtherClusters(placement: PlacementView): PlacementView {
  const firstPart = (message: string): string => message.split('; ', 1)[0] ?? '';
  const { message, end_message: end } = placement;
  return { ...placement, message: firstPart(message), end_message: end === null ? null : firstPart(end) };
}
