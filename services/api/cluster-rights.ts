import { ProblemError } from '../adapters/http/problem.ts';
import type { Caller } from './access/caller.ts';
import { isAllowed, type JobAccess } from '../adapters/kubernetes/access-review.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';

/** @throws ProblemError when the cluster does not let the caller do it; tokens of the file are not asked about. */
export type RequireRight = (caller: Caller, cluster: string, access: JobAccess) => Promise<void>;

/** Lets people do in a cluster only what they could do there themselves (docs/decisions/0059-rights-in-places.md). */
export function rightsIn(clusters: readonly KubernetesClient[]): RequireRight {
  return async ({ person }, cluster, access) => {
    if (person === null) return;
    const client = clusters.find((each) => each.cluster === cluster);
    if (client === undefined)
      throw new ProblemError(
        'forbidden',
        `this API cannot ask the cluster "${cluster}" whether you may do that`,
      );
    if (await isAllowed(client, person, access)) return;
    throw new ProblemError(
      'forbidden',
      `the cluster "${cluster}" does not let "${person.name}" ${access.verb} Jobs in the namespace "${access.namespace}"`,
    );
  };
}
