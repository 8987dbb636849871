import { z } from 'zod';
import { ProblemError } from '../../adapters/http/problem.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { ANY, isWithin } from '../../adapters/places.ts';
import { CLUSTER_VERBS, type ClusterVerb } from '../../requests/cluster-verbs.ts';
import { shownAvailability } from '../../live-topic/cluster-availability.ts';
import { RefusedOverrideError } from '../../requests/override-cluster.ts';
import type { Caller } from '../access/caller.ts';
import { createRightCheck } from '../cluster-rights.ts';
import type { ClusterOverrides } from '../cluster-overrides.ts';
import { availabilitySchema } from '../schemas/ledger.ts';
import * as values from '../schemas/values.ts';

const SUMMARIES: Readonly<Record<ClusterVerb, string>> = {
  cordon: 'Place no new Jobs in a cluster',
  drain: 'Place no new Jobs in a cluster, and move its placed Jobs to other clusters',
  uncordon: 'Place Jobs in a cluster again',
  lost: 'Record that nothing runs in a cluster any more, so that its Jobs start in other clusters',
  found: 'Record that a lost cluster is available again',
};

const overrideSchema = availabilitySchema
  .extend({
    cluster: z.string(),
    verb: z.enum(CLUSTER_VERBS),
    by: z.string().describe('The user, as recorded in the ledger'),
    changed: z.boolean().describe('False when no override had to be removed, and nothing was recorded'),
  })
  .meta({ id: 'ClusterOverride' });

interface OverrideDependencies {
  overrides: ClusterOverrides;
  clusters: readonly KubernetesClient[];
}

/** Overrides of clusters for placed Jobs. The override is recorded before it has any effect. */
export function addClusterOverrideRoutes(server: HttpServer, dependencies: OverrideDependencies): void {
  for (const verb of CLUSTER_VERBS) addOverride(server, dependencies, verb);
}

function addOverride(
  server: HttpServer,
  { overrides, clusters }: OverrideDependencies,
  verb: ClusterVerb,
): void {
  const requireRight = createRightCheck(clusters);
  server.route({
    method: 'POST',
    url: `/v1/clusters/:cluster/${verb}`,
    config: { scope: 'operate', problems: ['not-found', 'conflict'] },
    schema: {
      operationId: `${verb}Cluster`,
      summary: SUMMARIES[verb],
      description:
        'The API responds once the override is recorded; the services apply it within seconds. The caller needs rights in the whole cluster: a token that is valid in all its namespaces, or the right of a person to patch Jobs in all its namespaces.',
      tags: ['Operate'],
      params: z.object({ cluster: values.clusterName }),
      querystring: z.strictObject({
        by: values.userName.optional().describe('The user; the name of the token is recorded too'),
        ...(verb === 'lost' && {
          force: z
            .enum(['true', 'false'])
            .default('false')
            .describe('Record the loss although the cluster answers; its pods may then run twice'),
        }),
      }),
      response: { 200: overrideSchema },
    },
    handler: async ({ params: { cluster }, query, caller }) => {
      requireWholeCluster(caller, cluster);
      await requireRight(caller, cluster, { verb: 'patch', namespace: '' });
      const by = query.by === undefined ? caller.name : `${query.by} (by ${caller.name})`;
      const force = 'force' in query && query.force === 'true';
      try {
        const { availability, isChanged } = await overrides.override({ verb, cluster, by, force });
        return { cluster, verb, by, changed: isChanged, ...shownAvailability(availability) };
      } catch (error) {
        if (!(error instanceof RefusedOverrideError)) throw error;
        throw new ProblemError(error.isUnknown ? 'not-found' : 'conflict', error.message);
      }
    },
  });
}

/**
 * @throws ProblemError unless the caller has the right in every namespace, because an override concerns the Jobs of all
 * namespaces.
 */
function requireWholeCluster({ name, places }: Caller, cluster: string): void {
  if (isWithin(places, cluster, ANY)) return;
  throw new ProblemError(
    'forbidden',
    `the override concerns all of the cluster "${cluster}", but "${name}" has rights in only some of its namespaces`,
  );
}
