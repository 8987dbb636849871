import type { ApiRequest, KubernetesClient } from './client.ts';

/** The same client for requests that others wait for: none takes longer, and none is repeated when the server is busy. */
export function impatientClient(client: KubernetesClient, timeoutMs: number): KubernetesClient {
  return {
    ...client,
    request: <T>(request: ApiRequest) => client.request<T>({ ...request, timeoutMs, isBestEffort: true }),
  };
}
