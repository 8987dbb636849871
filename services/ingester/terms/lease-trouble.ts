import { KubernetesApiError, errorMessage } from '../../adapters/errors.ts';
import { namesNamespace } from '../../adapters/kubernetes/answers.ts';
import { adviceFor, isRefusal } from '../../adapters/kubernetes/refusals.ts';

/** The reason why the Lease cannot be acquired, with advice; null if the API server is unavailable. */
export function leaseTrouble(error: unknown, namespace: string): string | null {
  if (isRefusal(error))
    return `the Lease in the namespace ${namespace} cannot be acquired: ${errorMessage(error)}; ${adviceFor(error)}`;
  if (error instanceof KubernetesApiError && error.status === 404 && namesNamespace(error.details))
    return (
      `the namespace ${namespace} of our Lease is missing; ` +
      'kubectl apply -f infra/deploy/kubernetes/namespace.yaml -f infra/deploy/kubernetes/rbac.yaml'
    );
  return null;
}
