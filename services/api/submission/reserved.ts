import type { Caller } from '../access/caller.ts';
import { ProblemError } from '../../adapters/http/problem.ts';
import { isNamed, SYSTEM_NAMESPACES } from '../../adapters/places.ts';

/**
 * Checks the namespace of a Job.
 * @throws ProblemError for a namespace of Kubernetes or of Jobledger that the caller's line does not name.
 */
export type RequireOrdinary = (caller: Caller, cluster: string, namespace: string) => void;

/** Returns the check; `own` is the namespace in which Jobledger runs. */
export function createOrdinaryCheck(own: string): RequireOrdinary {
  const reserved = new Set([...SYSTEM_NAMESPACES, own]);
  return ({ places }, cluster, namespace) => {
    if (!reserved.has(namespace) || isNamed(places, cluster, namespace)) return;
    throw new ProblemError(
      'forbidden',
      `no Job can be submitted to the namespace "${namespace}", unless the line of the token names it: in=${cluster}/${namespace}`,
    );
  };
}
