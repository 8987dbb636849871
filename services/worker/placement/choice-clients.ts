import { setImmediate as nextTurn } from 'node:timers/promises';
import { KubernetesApiError, UnavailableError } from '../../adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { impatientClient } from '../../adapters/kubernetes/impatient-client.ts';

/** The time that a cluster may take to answer a request, in milliseconds. */
const ANSWERS_WITHIN_MS = 2000;
/** The longest wait for a cluster that has not answered lately, because the Job can go elsewhere. */
const FIRST_ANSWER_WITHIN_MS = 700;
/**
 * The time for which it then counts as unavailable, unless it answers: it gets requests, but the choice does not wait
 * for them.
 */
const AWAY_MS = 5000;

/**
 * Clients for the choice of a cluster. Every candidate is asked, so a silent cluster that is not yet known as silent
 * must not delay Jobs that go elsewhere (J-16.20).
 */
export function createChoiceClients(): (client: KubernetesClient) => KubernetesClient {
  const receivedAt = new Map<string, number>();
  const awaySince = new Map<string, number>();
  const noteAnswer = (cluster: string): void => {
    receivedAt.set(cluster, performance.now());
    awaySince.delete(cluster);
  };
  return (client) => {
    const { cluster } = client;
    const impatient = impatientClient(client, ANSWERS_WITHIN_MS);
    return {
      ...client,
      async request<T>(request: ApiRequest) {
        const begun = performance.now();
        const answer = impatient.request<T>(request);
        answer.then(
          () => noteAnswer(cluster),
          (error: unknown) => void (error instanceof KubernetesApiError && noteAnswer(cluster)),
        );
        const isAway = begun - (awaySince.get(cluster) ?? -Infinity) < AWAY_MS;
        const noAnswer = Promise.withResolvers<never>();
        const giveUp = async (): Promise<void> => {
          // After a pause of this process, answers are ready to be read.
          await nextTurn();
          if ((receivedAt.get(cluster) ?? -Infinity) >= begun) return;
          if (!isAway) awaySince.set(cluster, performance.now());
          noAnswer.reject(new UnavailableError(`cluster "${cluster}" does not answer`));
        };
        const timer = setTimeout(() => void giveUp(), isAway ? 0 : FIRST_ANSWER_WITHIN_MS);
        try {
          return await Promise.race([answer, noAnswer.promise]);
        } finally {
          clearTimeout(timer);
        }
      },
    };
  };
}
