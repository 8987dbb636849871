import { z } from 'zod';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { findComingStarts } from '../../read-model/queries/coming-starts.ts';
import { findCronJob } from '../../read-model/queries/cron-jobs.ts';
import type { CronJobRunView, CronJobView } from '../../read-model/views/cron-jobs.ts';
import { cursorParameter, namedCursor, pageFrom, PARTS } from '../cursor.ts';
import { cronJobsPage, eventsOfCronJob, selectSkippedStarts, startsOfCronJob } from '../queries/cron-jobs.ts';
import { wantedJob, type ReadTransaction } from '../reads.ts';
import {
  cronJobSchema,
  cronJobWithStartsSchema,
  skippedStartSchema,
  startSchema,
} from '../schemas/cron-job.ts';
import { storedEvent } from '../../adapters/events/event-codec.ts';
import { eventSchema, shownEvent } from '../schemas/ledger.ts';
import * as values from '../schemas/values.ts';

const params = z.object({ cronjob: values.cronJobName });
const pageParameters = <C extends z.ZodType>(
  cursor: C,
): { limit: typeof values.limit; cursor: z.ZodOptional<C> } => ({
  limit: values.limit,
  cursor: cursor.optional(),
});
const startsCursor = cursorParameter([`(?:infinity|${PARTS.instant})`], ['2026-04-01T03:12:00Z']);
const eventsCursor = cursorParameter([PARTS.offset], ['41']);
const config = { scope: 'read', problems: ['unknown-cron-job', 'ambiguous-cron-job'] } as const;

/** CronJobs: their present state, their starts and their streams. */
export function addCronJobRoutes(server: HttpServer, reads: ReadTransaction): void {
  server.route({
    method: 'GET',
    url: '/v1/cronjobs',
    config: { scope: 'read' },
    schema: {
      operationId: 'listCronJobs',
      summary: 'CronJobs in their present state, by cluster, namespace and name',
      tags: ['CronJobs'],
      querystring: z.strictObject({
        cluster: values.clusterName.optional(),
        namespace: values.namespaceName.optional(),
        name: values.cronJobName.optional(),
        deleted: z.enum(['true', 'false']).default('false').describe('Include deleted CronJobs'),
        ...pageParameters(namedCursor),
      }),
      response: { 200: values.pageSchema(cronJobSchema) },
    },
    handler: ({ query, caller, raw }) =>
      reads({ caller, raw }, async (run, places) => {
        const filter = { ...query, deleted: query.deleted === 'true' };
        const found = await run<CronJobView>(cronJobsPage(filter, query.cursor ?? null, query.limit, places));
        const { items, next } = pageFrom(found, query.limit, (last) => [
          last.cluster,
          last.namespace,
          last.name,
          last.uid,
        ]);
        return { items: items.map(shownCronJob), next };
      }),
  });
  server.route({
    method: 'GET',
    url: '/v1/cronjobs/:cronjob',
    config,
    schema: {
      operationId: 'getCronJob',
      summary: 'A CronJob in its present state, with its reason to wait and its coming starts',
      tags: ['CronJobs'],
      params,
      querystring: z.strictObject(values.whichJob),
      response: { 200: cronJobWithStartsSchema },
    },
    handler: ({ params: { cronjob }, query, caller, raw }) =>
      reads({ caller, raw }, async (run, places) => {
        const cronJob = await findCronJob(run, wantedJob(cronjob, query, places));
        return { ...shownCronJob(cronJob), coming_starts: await findComingStarts(run, cronJob) };
      }),
  });
  server.route({
    method: 'GET',
    url: '/v1/cronjobs/:cronjob/starts',
    config,
    schema: {
      operationId: 'listStarts',
      summary: 'The starts of a CronJob with the fate of their Jobs, the latest first',
      tags: ['CronJobs'],
      params,
      querystring: z.strictObject({ ...values.whichJob, ...pageParameters(startsCursor) }),
      response: { 200: values.pageSchema(startSchema) },
    },
    handler: ({ params: { cronjob }, query, caller, raw }) =>
      reads({ caller, raw }, async (run, places) => {
        const cronJob = await findCronJob(run, wantedJob(cronjob, query, places));
        const found = await run<CronJobRunView>(startsOfCronJob(cronJob, query.cursor ?? null, query.limit));
        return pageFrom(found, query.limit, (last) => [last.scheduled_at ?? 'infinity']);
      }),
  });
  server.route({
    method: 'GET',
    url: '/v1/cronjobs/:cronjob/skipped',
    config,
    schema: {
      operationId: 'listSkippedStarts',
      summary: 'The times of the schedule at which no Job was created, with the reasons, the latest first',
      description:
        'The list contains the times that the latest 1,000 decisions name. While no worker decides, no reason is recorded.',
      tags: ['CronJobs'],
      params,
      querystring: z.strictObject(values.whichJob),
      response: { 200: z.object({ items: z.array(skippedStartSchema) }) },
    },
    handler: ({ params: { cronjob }, query, caller, raw }) =>
      reads({ caller, raw }, async (run, places) => {
        const cronJob = await findCronJob(run, wantedJob(cronjob, query, places));
        return { items: await run<z.infer<typeof skippedStartSchema>>(selectSkippedStarts(cronJob)) };
      }),
  });
  server.route({
    method: 'GET',
    url: '/v1/cronjobs/:cronjob/events',
    config,
    schema: {
      operationId: 'listEventsOfCronJob',
      summary: "The CronJob's stream, in the order of the ledger",
      tags: ['CronJobs'],
      params,
      querystring: z.strictObject({ ...values.whichJob, ...pageParameters(eventsCursor) }),
      response: { 200: values.pageSchema(eventSchema) },
    },
    handler: ({ params: { cronjob }, query, caller, raw }) =>
      reads({ caller, raw }, async (run, places) => {
        const cronJob = await findCronJob(run, wantedJob(cronjob, query, places));
        const [after = '-1'] = query.cursor ?? [];
        const { rows, isCut } = await eventsOfCronJob(run, cronJob, after, query.limit);
        const { items, next } = pageFrom(rows, query.limit, (last) => [last.kafka_offset], isCut);
        return { items: items.map(storedEvent).map(shownEvent), next };
      }),
  });
}

/** Converts the deadline to a number of seconds, because Postgres returns a bigint as text. */
function shownCronJob({
  starting_deadline_seconds: deadline,
  ...cronJob
}: CronJobView): z.infer<typeof cronJobSchema> {
  return { ...cronJob, starting_deadline_seconds: deadline === null ? null : Number(deadline) };
}
