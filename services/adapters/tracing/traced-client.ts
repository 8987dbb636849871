import { AsyncLocalStorage } from 'node:async_hooks';
import { KubernetesApiError } from '../errors.ts';
import type { ApiRequest, KubernetesClient } from '../kubernetes/client.ts';
import type { TracedStream } from './ids.ts';
import type { RecordSpan } from './span.ts';

/** The current command, by its id in the ledger, for which requests are sent to a cluster. */
interface Purpose {
  stream: TracedStream;
  id: string;
}

const purposes = new AsyncLocalStorage<Purpose>();

/** Runs `work`, whose requests get this command as their parent. */
export function withPurpose<T>(purpose: Purpose, work: () => Promise<T>): Promise<T> {
  return purposes.run(purpose, work);
}

/** A client that records a span for each request of a command. */
export function tracedClient(client: KubernetesClient, record: RecordSpan): KubernetesClient {
  return {
    ...client,
    async request<T>(request: ApiRequest): Promise<T> {
      const purpose = purposes.getStore();
      if (purpose === undefined) return client.request<T>(request);
      const start = Date.now();
      const recordSpan = (status: number | null): void =>
        record(requestSpan(purpose, request, start, status));
      try {
        const answer = await client.request<T>(request);
        recordSpan(null);
        return answer;
      } catch (error) {
        recordSpan(error instanceof KubernetesApiError ? error.status : 0);
        throw error;
      }
    },
  };
}

/**
 * `status` is the status of a refusal; 0 without a response, null for a success. The span leaves out the query, which
 * may be long.
 */
function requestSpan(
  { stream, id }: Purpose,
  { method, path }: ApiRequest,
  start: number,
  status: number | null,
): Parameters<RecordSpan>[0] {
  const [route = ''] = path.split('?');
  return {
    stream,
    name: `${method} ${collectionIn(route)}`,
    kind: 'client',
    parent: id,
    start,
    end: Date.now(),
    attributes: {
      'http.request.method': method,
      'url.path': route,
      ...(status !== null && status > 0 && { 'http.response.status_code': status }),
    },
    ...(status !== null && { error: status === 0 ? 'no response' : `status ${status}` }),
  };
}

/** The resource, `jobs` or `pods`, because a span's name must not contain names of objects. */
function collectionIn(path: string): string {
  return /\/namespaces\/[^/]+\/([^/]+)/.exec(path)?.[1] ?? '';
}
