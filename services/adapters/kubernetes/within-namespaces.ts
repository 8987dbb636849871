import { UnavailableError } from '../errors.ts';
import type { ApiRequest, KubernetesClient } from './client.ts';

/**
 * The namespace is not among those that this installation may use. Retryable: waiting work continues once the namespace
 * is among them, or is again.
 */
export class OtherNamespaceError extends UnavailableError {}

/**
 * A client that is limited to requests about objects of these namespaces; an empty list allows every request. @throws
 * OtherNamespaceError.
 */
export function withinNamespaces(client: KubernetesClient, namespaces: readonly string[]): KubernetesClient {
  if (namespaces.length === 0) return client;
  const allow = ({ path }: ApiRequest): void => {
    const namespace = /^[^?]*\/namespaces\/([^/?]+)\//.exec(path)?.[1];
    if (namespace === undefined || namespaces.includes(decodeURIComponent(namespace))) return;
    throw new OtherNamespaceError(
      `the namespace "${namespace}" of the cluster "${client.cluster}" is not among JOBLEDGER_NAMESPACES`,
    );
  };
  return {
    ...client,
    async request<T>(request: ApiRequest): Promise<T> {
      allow(request);
      return client.request<T>(request);
    },
    async stream(request) {
      allow(request);
      return client.stream(request);
    },
  };
}
