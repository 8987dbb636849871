import { KubernetesApiError, messageOf } from '../adapters/errors.ts';
import { adviceFor, isRefusal } from '../adapters/kubernetes/refusals.ts';

/** Why the Lease cannot be had, and what helps; null when the API server only does not answer now. */
export function leaseTrouble(error: unknown, namespace: string): string | null {
  if (isRefusal(error))
    return `no Lease in the namespace ${namespace}: ${messageOf(error)}; ${adviceFor(error)}`;
  if (error instanceof KubernetesApiError && error.status === 404 && /namespace/.test(error.message))
    return (
      `the namespace ${namespace} of our Lease is missing; ` +
      'kubectl apply -f infra/kubernetes/namespace.yaml -f infra/kubernetes/rbac.yaml'
    );
  return null;
}
