import { z } from 'zod';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import type { ClusterAvailability } from '../../../workflows/placement/settings.ts';
import { clusterLimits } from '../../adapters/kubernetes/cluster-facts.ts';
import type { ClusterWatches } from '../../live-topic/watches.ts';
import { allClusters, placedJobsIn } from '../../read-model/queries/clusters.ts';
import type { ClusterView, PlacedView } from '../../read-model/views/clusters.ts';
import { cursorParameter, namedCursor, pageFrom, PARTS } from '../cursor.ts';
import { gapsPage } from '../queries/ledger.ts';
import type { ReadTransaction } from '../reads.ts';
import { clusterSchema, gapSchema, placedJobSchema } from '../schemas/ledger.ts';
import * as values from '../schemas/values.ts';
import type { WatchesOfClusters } from '../watches.ts';
import type { ClusterOverrides } from '../cluster-overrides.ts';
import { shownAvailability } from '../../live-topic/cluster-availability.ts';

const gapsCursor = cursorParameter([PARTS.instant, PARTS.text], ['2026-04-01T03:12:00Z', 'local/gap/1']);

export interface ClusterDependencies {
  reads: ReadTransaction;
  watches: WatchesOfClusters;
  overrides: ClusterOverrides;
}

/** The clusters and the gaps in their watches. */
export function addClusterRoutes(
  server: HttpServer,
  { reads, watches, overrides }: ClusterDependencies,
): void {
  server.route({
    method: 'GET',
    url: '/v1/clusters',
    config: { scope: 'read' },
    schema: {
      operationId: 'listClusters',
      summary: 'The clusters that were ever connected, each with its leading ingesters',
      tags: ['Clusters'],
      querystring: z.strictObject({}),
      response: { 200: z.object({ items: z.array(clusterSchema) }) },
    },
    handler: async ({ caller, raw }) => {
      const [watched, availability, found] = await Promise.all([
        watches(),
        overrides.availability(),
        reads({ caller, raw }, (run, places) => run<ClusterView>(allClusters(places))),
      ]);
      return { items: found.map((each) => shownCluster(each, watched, availability)) };
    },
  });
  addPlacedJobsRoute(server, reads);
  server.route({
    method: 'GET',
    url: '/v1/gaps',
    config: { scope: 'read' },
    schema: {
      operationId: 'listGaps',
      summary: 'Periods in which events of a cluster may have been missed, newest first',
      tags: ['Clusters'],
      querystring: z.strictObject({
        cluster: values.clusterName.optional(),
        since: values.instantParameter.optional().describe('Gaps that end at or after this instant'),
        until: values.instantParameter.optional().describe('Gaps that begin at or before this instant'),
        limit: values.limit,
        cursor: gapsCursor.optional(),
      }),
      response: { 200: values.pageSchema(gapSchema) },
    },
    handler: async ({ query, caller, raw }) => {
      const after = query.cursor ?? null;
      const found = await reads({ caller, raw }, (run, places) =>
        run<z.infer<typeof gapSchema>>(gapsPage(query, after, query.limit, places)),
      );
      return pageFrom(found, query.limit, (last) => [last.until, last.id]);
    },
  });
}

function addPlacedJobsRoute(server: HttpServer, reads: ReadTransaction): void {
  server.route({
    method: 'GET',
    url: '/v1/clusters/:cluster/placed',
    config: { scope: 'read' },
    schema: {
      operationId: 'listPlaced',
      summary:
        'The placed Jobs that a cluster has; during a drain, the placed Jobs that have not left the cluster',
      tags: ['Clusters'],
      params: z.object({ cluster: values.clusterName }),
      querystring: z.strictObject({ limit: values.limit, cursor: namedCursor.optional() }),
      response: { 200: values.pageSchema(placedJobSchema) },
    },
    handler: async ({ params: { cluster }, query: { limit, cursor: after = null }, caller, raw }) => {
      const found = await reads({ caller, raw }, (run, places) =>
        run<PlacedView>(placedJobsIn(cluster, { after, limit: limit + 1 }, places)),
      );
      return pageFrom(found, limit, (last) => [last.home, last.namespace, last.job_name, last.job_uid]);
    },
  });
}

/** `watched` and `availability` are null when they are not known. */
function shownCluster(
  cluster: ClusterView,
  watched: ReadonlyMap<string, ClusterWatches> | null,
  availability: Readonly<Record<string, ClusterAvailability>> | null,
): z.infer<typeof clusterSchema> {
  const watches = watched?.get(cluster.name);
  const { shards = [], recordedFields = null, jobsReceivedAt = null, podsReceivedAt = null } = watches ?? {};
  return {
    ...cluster,
    availability: availability === null ? null : shownAvailability(availability[cluster.name] ?? {}),
    limits: clusterLimits(cluster).map(({ message }) => message),
    shards: watched === null ? null : shards,
    recorded_fields: recordedFields,
    jobs_received_at: jobsReceivedAt,
    pods_received_at: podsReceivedAt,
  };
}
