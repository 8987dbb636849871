import { z } from 'zod';
import { ProblemError } from '../../adapters/http/problem.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { ANY, isWithin } from '../../adapters/places.ts';
import { CLUSTER_VERBS, type ClusterVerb } from '../../contracts/cluster-verbs.ts';
import { shownAvailability } from '../../contracts/cluster-availability.ts';
import { RefusedOverrideError } from '../../contracts/override-cluster.ts';
import type { Caller } from '../access/caller.ts';
import { rightsIn } from '../cluster-rights.ts';
import type { ClusterOverrides } from '../cluster-overrides.ts';
import { availabilitySchema } from '../schemas/ledger.ts';
import * as values from '../schemas/values.ts';

const SUMMARIES: Readonly<Record<ClusterVerb, string>> = {
  cordon: 'Place no new Jobs in a cluster',
  drain: 'Place no new Jobs in a cluster, and move those that are there',
  uncordon: 'Place Jobs in a cluster again',
  lost: 'Say that nothing runs in a cluster any more, so that its Jobs start elsewhere',
  found: 'Take back that a cluster is lost',
};

const overrideSchema = availabilitySchema
  .extend({
    cluster: z.string(),
    verb: z.enum(CLUSTER_VERBS),
    by: z.string().describe('As recorded'),
    changed: z.boolean().describe('False: there was nothing to take back, and nothing was recorded'),
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
  const requireRight = rightsIn(clusters);
  server.route({
    method: 'POST',
    url: `/v1/clusters/:cluster/${verb}`,
    config: { scope: 'operate', problems: ['not-found', 'conflict'] },
    schema: {
      operationId: `${verb}Cluster`,
      summary: SUMMARIES[verb],
      description:
        'Responds once it is recorded; the services follow within seconds. Needs the whole cluster: a token that is valid in all its namespaces, or a person who may patch Jobs in all of them.',
      tags: ['Operate'],
      params: z.object({ cluster: values.clusterName }),
      querystring: z.strictObject({
        by: values.userName.optional().describe('The user; the name of the token is recorded too'),
        ...(verb === 'lost' && {
          force: z
            .enum(['true', 'false'])
            .default('false')
            .describe('Record it although the cluster answers; its pods may then run twice'),
        }),
      }),
      response: { 200: overrideSchema },
    },
    handler: async ({ params: { cluster }, query, caller }) => {
      requireWhole(caller, cluster);
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
 * @throws ProblemError unless the caller may do this in every namespace: an override concerns the Jobs of all
 * namespaces.
 */
function requireWhole({ name, places }: Caller, cluster: string): void {
  if (isWithin(places, cluster, ANY)) return;
  throw new ProblemError(
    'forbidden',
    `this concerns all of the cluster "${cluster}", and "${name}" has rights in some of its namespaces only`,
  );
}
