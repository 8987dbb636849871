import { UnavailableError } from '../errors.ts';
import type { ApiRequest, KubernetesClient } from './client.ts';

/**
 * A client for requests that others wait for: none takes longer, its connection and its body included, and none is
 * repeated when the server is busy.
 */
export function impatientClient(client: KubernetesClient, timeoutMs: number): KubernetesClient {
  return {
    ...client,
    async request<T>(request: ApiRequest) {
      const late = AbortSignal.timeout(timeoutMs);
      const signal = request.signal === undefined ? late : AbortSignal.any([request.signal, late]);
      try {
        return await client.request<T>({ ...request, signal, timeoutMs, isBestEffort: true });
      } catch (cause) {
        if (!late.aborted || request.signal?.aborted === true) throw cause;
        throw new UnavailableError(`cluster "${client.cluster}" did not answer within ${timeoutMs} ms`, {
          cause,
        });
      }
    },
  };
}
