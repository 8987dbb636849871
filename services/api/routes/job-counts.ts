import { z } from 'zod';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { GROUPINGS } from '../../read-model/shown/job-lists.ts';
import { STATUSES } from '../../read-model/shown/statuses.ts';
import { recordedInstant } from '../../read-model/views/view.ts';
import { filterFields, toJobsFilter } from '../jobs-filter.ts';
import {
  toBuckets,
  jobsByGroup,
  jobsByStatus,
  jobsByTime,
  type BucketRow,
  type Buckets,
  type CountRow,
  type GroupRow,
} from '../queries/job-counts.ts';
import type { ReadTransaction } from '../reads.ts';
import * as values from '../schemas/values.ts';

/** The number of buckets of a histogram: the default and the maximum. */
const [BUCKETS, MOST_BUCKETS] = [60, 200];

const histogramQuery = z.strictObject({
  ...filterFields,
  from: values.instantParameter.describe('The start of the histogram'),
  before: values.instantParameter.describe('The end of the histogram'),
  buckets: values.wholeNumber(MOST_BUCKETS).default(BUCKETS).describe('The maximum number of buckets'),
});

const histogramSchema = z
  .object({
    from: recordedInstant,
    before: recordedInstant,
    step_ms: z.int().describe('The length of a bucket in milliseconds'),
    buckets: z.array(
      z.object({
        from: recordedInstant,
        created: z.int().describe('Jobs created in the bucket'),
        completed: z.int().describe('Jobs that became complete in the bucket'),
        failed: z.int().describe('Jobs that failed in the bucket'),
      }),
    ),
  })
  .meta({ id: 'Histogram' });

const groupsQuery = z.strictObject({
  ...filterFields,
  by: z
    .enum(GROUPINGS)
    .describe(
      'The common property of the Jobs of a group. reason is the reason why the Jobs failed or are failing, without numbers of pods; waiting is the rule under which an open Job waits; failure is the reason of a failed Job',
    ),
  limit: values.limit.describe('The maximum number of groups'),
});

const groupsSchema = z.object({
  items: z.array(
    z
      .object({
        value: z.string(),
        job_count: z.int().describe('The number of Jobs'),
        active: z.int().describe('The number of active pods of these Jobs'),
        message: z.string().nullable().describe('With by=waiting, the reason why one of the Jobs waits'),
      })
      .meta({ id: 'Group' }),
  ),
});

const countsSchema = z.object({
  items: z.array(
    z
      .object({
        status: z.enum(STATUSES),
        job_count: z.int().describe('The number of Jobs'),
        active: z.int().describe('The number of active pods of these Jobs'),
        oldest: recordedInstant
          .nullable()
          .describe('The instant when the first of these Jobs was created; null when there is no Job'),
      })
      .meta({ id: 'Count' }),
  ),
});

/**
 * The numbers of Jobs, over time and by group. The paths do not begin with /v1/jobs/, where they would hide Jobs with
 * the same names.
 */
export function addJobCountRoutes(server: HttpServer, reads: ReadTransaction): void {
  addCountsRoute(server, reads);
  server.route({
    method: 'GET',
    url: '/v1/histogram',
    config: { scope: 'read' },
    schema: {
      operationId: 'getHistogram',
      summary: 'The numbers of Jobs that were created, completed and failed over time',
      tags: ['Jobs'],
      querystring: histogramQuery,
      response: { 200: histogramSchema },
    },
    handler: async ({ query, caller, raw }) => {
      const buckets = toBuckets(Date.parse(query.from), Date.parse(query.before), query.buckets);
      const rows = await reads({ caller, raw }, (run, places) =>
        run<BucketRow>(jobsByTime(toJobsFilter(query), buckets, places)),
      );
      return shownHistogram(buckets, rows);
    },
  });
  server.route({
    method: 'GET',
    url: '/v1/groups',
    config: { scope: 'read' },
    schema: {
      operationId: 'listGroups',
      summary:
        'The numbers of Jobs by a property, such as namespace, status, reason or owner, the largest groups first',
      tags: ['Jobs'],
      querystring: groupsQuery,
      response: { 200: groupsSchema },
    },
    handler: async ({ query, caller, raw }) => ({
      items: await reads({ caller, raw }, (run, places) =>
        run<GroupRow>(jobsByGroup(toJobsFilter(query), query.by, query.limit, places)),
      ),
    }),
  });
}

function addCountsRoute(server: HttpServer, reads: ReadTransaction): void {
  server.route({
    method: 'GET',
    url: '/v1/counts',
    config: { scope: 'read' },
    schema: {
      operationId: 'countJobs',
      summary: 'The numbers of Jobs in each status',
      tags: ['Jobs'],
      querystring: z.strictObject(filterFields),
      response: { 200: countsSchema },
    },
    handler: async ({ query, caller, raw }) => {
      const rows = await reads({ caller, raw }, (run, places) =>
        run<CountRow>(jobsByStatus(toJobsFilter(query), places)),
      );
      const none = { job_count: 0, active: 0, oldest: null };
      return {
        items: STATUSES.map((status) => rows.find((row) => row.status === status) ?? { status, ...none }),
      };
    },
  });
}

function shownHistogram(
  { from, before, step, count }: Buckets,
  rows: readonly BucketRow[],
): z.infer<typeof histogramSchema> {
  const byBucket = new Map(rows.map((row) => [row.bucket, row]));
  return {
    from: new Date(from).toISOString(),
    before: new Date(before).toISOString(),
    step_ms: step,
    buckets: Array.from({ length: count }, (_, at) => {
      const { created, completed, failed } = byBucket.get(at) ?? { created: 0, completed: 0, failed: 0 };
      return { from: new Date(from + at * step).toISOString(), created, completed, failed };
    }),
  };
}
