import { UnavailableError } from '../errors.ts';
import type { ApiRequest, KubernetesClient } from './client.ts';

/**
 * A client for requests on which other requests wait: no request takes longer than its limit, connection and body
 * included, and no request is repeated when the server is busy.
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
