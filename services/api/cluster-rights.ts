import { ProblemError } from '../adapters/http/problem.ts';
import type { Caller } from './access/caller.ts';
import { isAllowed, type JobAccess } from '../adapters/kubernetes/access-review.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';

/**
 * Checks a right of a caller in a cluster.
 * @throws ProblemError if the cluster does not permit the action. Tokens of the file are not checked.
 */
export type RequireRight = (caller: Caller, cluster: string, access: JobAccess) => Promise<void>;

/**
 * Returns a check that allows people only the actions in a cluster for which they have the rights themselves
 * (docs/decisions/0059-rights-in-places.md).
 */
export function createRightCheck(clusters: readonly KubernetesClient[]): RequireRight {
  return async ({ person }, cluster, access) => {
    if (person === null) return;
    const client = clusters.find((each) => each.cluster === cluster);
    if (client === undefined)
      throw new ProblemError(
        'forbidden',
        `this API has no access to the cluster "${cluster}" whether you may do that`,
      );
    if (await isAllowed(client, person, access)) return;
    throw new ProblemError(
      'forbidden',
      `the cluster "${cluster}" does not let "${person.name}" ${access.verb} Jobs in ${access.namespace === '' ? 'every namespace' : `the namespace "${access.namespace}"`}`,
    );
  };
}
