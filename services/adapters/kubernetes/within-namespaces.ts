import { UnavailableError } from '../errors.ts';
import type { ApiRequest, KubernetesClient } from './client.ts';

/**
 * The error for a namespace that this installation may not use. The error is retryable, because waiting work
 * continues once the operator adds the namespace.
 */
export class OtherNamespaceError extends UnavailableError {}

/**
 * Creates a client that allows only requests about objects of the given namespaces; an empty list allows every request. @throws
 * OtherNamespaceError.
 */
export function withinNamespaces(client: KubernetesClient, namespaces: readonly string[]): KubernetesClient {
  if (namespaces.length === 0) return client;
  const requireAllowed = ({ path }: ApiRequest): void => {
    const namespace = /^[^?]*\/namespaces\/([^/?]+)\//.exec(path)?.[1];
    if (namespace === undefined || namespaces.includes(decodeURIComponent(namespace))) return;
    throw new OtherNamespaceError(
      `the namespace "${namespace}" of the cluster "${client.cluster}" is not among JOBLEDGER_NAMESPACES`,
    );
  };
  return {
    ...client,
    async request<T>(request: ApiRequest): Promise<T> {
      requireAllowed(request);
      return client.request<T>(request);
    },
    async stream(request) {
      requireAllowed(request);
      return client.stream(request);
    },
  };
}
