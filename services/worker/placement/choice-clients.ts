import { setImmediate as nextTurn } from 'node:timers/promises';
import { KubernetesApiError } from '../../adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { impatientClient } from '../../adapters/kubernetes/impatient-client.ts';

/** How long a cluster may take to answer a request, in milliseconds. */
const ANSWERS_WITHIN_MS = 2000;
/** The same of a cluster from which nothing has come since: it may be away, and the Job can go elsewhere. */
const FIRST_ANSWER_WITHIN_MS = 700;

/**
 * Clients for the choice of a cluster. Every candidate is asked, so one that is away, and not yet known to be, must not delay Jobs
 * that go elsewhere (J-16.20).
 */
export function createChoiceClients(): (client: KubernetesClient) => KubernetesClient {
  const heardAt = new Map<string, number>();
  return (client) => {
    const { cluster } = client;
    const impatient = impatientClient(client, ANSWERS_WITHIN_MS);
    const hear = (): void => void heardAt.set(cluster, performance.now());
    return {
      ...client,
      async request<T>(request: ApiRequest) {
        const begun = performance.now();
        const away = new AbortController();
        const timer = setTimeout(() => {
          // After a pause of this process, answers are there to be read.
          void nextTurn().then(() => {
            if ((heardAt.get(cluster) ?? -Infinity) < begun) away.abort();
          });
        }, FIRST_ANSWER_WITHIN_MS);
        const signals = request.signal === undefined ? [away.signal] : [request.signal, away.signal];
        try {
          const answer = await impatient.request<T>({ ...request, signal: AbortSignal.any(signals) });
          hear();
          return answer;
        } catch (error) {
          if (error instanceof KubernetesApiError) hear();
          throw error;
        } finally {
          clearTimeout(timer);
        }
      },
    };
  };
}
