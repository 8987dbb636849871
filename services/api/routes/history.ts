import { z } from 'zod';
import { belongsToHistory } from '../../../workflows/ledger-event.ts';
import { kindOfJob } from '../../read-model/streams/stream.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { eventsOnJob } from '../../adapters/kubernetes/events-on-job.ts';
import { cursorParameter, pageFrom, PARTS } from '../cursor.ts';
import { storedEvent } from '../../adapters/events/event-codec.ts';
import { decisionsOfJob, eventsOfJob } from '../queries/ledger.ts';
import { selectCarriedOutCommands, type CarriedOutCommand } from '../queries/carried-out-commands.ts';
import { findNamedJob, type ReadTransaction } from '../reads.ts';
import { decisionSchema, eventSchema, kubernetesEventSchema, shownEvent } from '../schemas/ledger.ts';
import * as values from '../schemas/values.ts';

const params = z.object({ job: values.jobName });
const eventsCursor = cursorParameter([PARTS.offset], ['41']);
const decisionsCursor = cursorParameter(
  [PARTS.number, PARTS.instant, PARTS.text],
  ['3', '2026-04-01T03:12:00.123Z', 'local/0d76047d/decision/3'],
);

type DecisionRow = z.infer<typeof decisionSchema>;

/** The events and decisions of one Job, and the Kubernetes Events about it. */
export function addHistoryRoutes(server: HttpServer, reads: ReadTransaction): void {
  addKubernetesEvents(server, reads);
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/events',
    config: { scope: 'read', problems: ['unknown-job', 'ambiguous-job'] },
    schema: {
      operationId: 'listEventsOfJob',
      summary: "The Job's stream, in the order of the ledger",
      tags: ['Ledger'],
      params,
      querystring: z.strictObject({
        ...values.whichJob,
        type: values.eventTypes.optional(),
        since: values.instantParameter.optional(),
        until: values.instantParameter.optional(),
        limit: values.limit,
        cursor: eventsCursor.optional(),
      }),
      response: { 200: values.pageSchema(eventSchema) },
    },
    handler: ({ params: named, query, caller, raw }) =>
      reads({ caller, raw }, async (run, places) => {
        const job = await findNamedJob(run, { params: named, query }, places);
        const [after = '-1'] = query.cursor ?? [];
        const filter = { types: query.type, since: query.since, until: query.until };
        const { rows, isCut } = await eventsOfJob(run, job, filter, after, query.limit);
        const { items, next } = pageFrom(rows, query.limit, (last) => [last.kafka_offset], isCut);
        const kind = await kindOfJob(run, job);
        return {
          items: items
            .map(storedEvent)
            .filter((event) => belongsToHistory(kind, event))
            .map(shownEvent),
          next,
        };
      }),
  });
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/decisions',
    config: { scope: 'read', problems: ['unknown-job', 'ambiguous-job'] },
    schema: {
      operationId: 'listDecisions',
      summary: 'The decisions about the Job, with their rules and outcomes',
      tags: ['Ledger'],
      params,
      querystring: z.strictObject({
        ...values.whichJob,
        limit: values.limit,
        cursor: decisionsCursor.optional(),
      }),
      response: { 200: values.pageSchema(decisionSchema) },
    },
    handler: ({ params: named, query, caller, raw }) =>
      reads({ caller, raw }, async (run, places) => {
        const job = await findNamedJob(run, { params: named, query }, places);
        const statement = decisionsOfJob(job, query.cursor ?? null, query.limit);
        const found = await run<DecisionRow>(statement);
        return pageFrom(found, query.limit, (last) => [String(last.number), last.recorded_at, last.id]);
      }),
  });
}

function addKubernetesEvents(server: HttpServer, reads: ReadTransaction): void {
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/kubernetes-events',
    config: { scope: 'read', problems: ['unknown-job', 'ambiguous-job'] },
    schema: {
      operationId: 'listKubernetesEvents',
      summary: 'The Kubernetes Events that Jobledger created on the Job, oldest first',
      description:
        'The Events follow from the recorded commands that Jobledger carried out. The ledger does not record whether the cluster accepted an Event, and contains no Events of other controllers.',
      tags: ['Jobs'],
      params,
      querystring: z.strictObject({
        ...values.whichJob,
        limit: values.limit.describe(
          'The maximum number of commands on a page; each command has one or several Events',
        ),
        cursor: eventsCursor.optional(),
      }),
      response: { 200: values.pageSchema(kubernetesEventSchema) },
    },
    handler: ({ params: named, query, caller, raw }) =>
      reads({ caller, raw }, async (run, places) => {
        const job = await findNamedJob(run, { params: named, query }, places);
        const [after = '-1'] = query.cursor ?? [];
        const found = await run<CarriedOutCommand>(selectCarriedOutCommands(job, after, query.limit));
        const { items, next } = pageFrom(found, query.limit, (last) => [last.kafka_offset]);
        return { items: items.flatMap((each) => shownKubernetesEvents(job, each)), next };
      }),
  });
}

function shownKubernetesEvents(
  job: { name: string },
  { command, outcome }: CarriedOutCommand,
): z.infer<typeof kubernetesEventSchema>[] {
  const at = new Date(outcome.at).toISOString();
  return eventsOnJob(job, command, outcome).map((event) => ({ at, ...event }));
}
