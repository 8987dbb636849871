import { setImmediate as nextTurn } from 'node:timers/promises';
import { KubernetesApiError, UnavailableError } from '../../../adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import { impatientClient } from '../../../adapters/kubernetes/impatient-client.ts';

/** The time within which a cluster must answer a request, in milliseconds. */
const ANSWERS_WITHIN_MS = 2000;
/**
 * The longest wait for a cluster that has not answered recently, in milliseconds, because the Job can use another
 * cluster.
 */
const FIRST_ANSWER_WITHIN_MS = 700;
/**
 * The time for which a cluster without an answer counts as unavailable, in milliseconds. The cluster still gets
 * requests, but the choice does not wait for the answers.
 */
const AWAY_MS = 5000;

/**
 * Creates clients for the choice of a cluster. Every candidate is asked, so a cluster that does not answer must not
 * delay Jobs that use another cluster (J-16.20).
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
          // After a pause of this process, answers may have arrived that are not read yet.
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
