import { InputError, KubernetesApiError, errorMessage } from '../errors.ts';
import type { Log } from '../process/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { retry, type Backoff } from '../waiting/retry.ts';

/**
 * Handles clusters that refuse this service, or that this service refuses. Each cluster is handled on its own, with an
 * error in the log and retries.
 */
export interface Refusals {
  /**
   * Runs `attempt`, which calls `accepted` when the cluster accepts us. After each refusal (an InputError), `attempt`
   * runs again with a growing delay. @throws InputError with all reasons when every cluster is refused at the start,
   * and any other error of `attempt`.
   */
  untilAccepted<T>(cluster: string, attempt: (accepted: () => void) => Promise<T>): Promise<T>;
  /** Records that one part of a cluster refuses the service, or, with null, that this part no longer refuses it. */
  note(cluster: string, part: string, reason: string | null): void;
}

const BACKOFF: Backoff = { firstMs: 10_000, longestMs: 60_000 };
const REMIND_MS = 60_000;

/** `onRefused` is called when a cluster is refused, so that no caller waits for it. */
export function createRefusals({
  clusters,
  log,
  metrics,
  signal,
  onRefused,
  backoff = BACKOFF,
}: {
  clusters: readonly string[];
  log: Log;
  metrics: Metrics;
  signal: AbortSignal;
  onRefused: (cluster: string) => void;
  backoff?: Backoff;
}): Refusals {
  const refused = showRefused(metrics, clusters);
  const logged = new Map<string, { reason: string; at: number }>();
  const note: Refusals['note'] = (cluster, part, reason) => {
    const key = `${cluster} ${part}`;
    const before = logged.get(key);
    if (reason === null) {
      refused.get(cluster)?.delete(part);
      if (logged.delete(key)) log.info({ cluster, part }, 'the cluster is no longer refused');
      return;
    }
    refused.get(cluster)?.add(part);
    if (before?.reason === reason && performance.now() - before.at < REMIND_MS) return;
    logged.set(key, { reason, at: performance.now() });
    log.error({ cluster, part, error: reason }, 'the cluster is refused; trying again');
  };
  /** The clusters refused at their first attempt, with the reason. The list is irrelevant once any cluster was accepted. */
  const atStart = new Map<string, string>();
  let isAnyAccepted = false;
  return {
    note,
    untilAccepted: (cluster, attempt) =>
      retry(
        (reset) =>
          attempt(() => {
            isAnyAccepted = true;
            note(cluster, 'access', null);
            reset();
          }),
        {
          signal,
          backoff,
          shouldRetry: (error) => error instanceof InputError,
          onFailedAttempt: (error) => {
            const reason = errorMessage(error);
            atStart.set(cluster, reason);
            if (!isAnyAccepted && atStart.size === clusters.length)
              throw new InputError([...atStart.values()].join('\n'));
            note(cluster, 'access', reason);
            onRefused(cluster);
          },
        },
      ),
  };
}

/** The refusing parts of each cluster, also shown as a gauge. */
function showRefused(metrics: Metrics, clusters: readonly string[]): Map<string, Set<string>> {
  const refused = new Map(clusters.map((cluster) => [cluster, new Set<string>()]));
  metrics.gauge(
    {
      name: 'jobledger_cluster_refused',
      help: '1 while a cluster is refused, because it denies access to this service, or its identity does not match its name.',
      labels: ['cluster'],
    },
    () => [...refused].map(([cluster, parts]) => ({ labels: { cluster }, value: parts.size > 0 ? 1 : 0 })),
  );
  return refused;
}

/** True when the API server denies us access (401), or this request (403). */
export function isRefusal(error: unknown): error is KubernetesApiError {
  return error instanceof KubernetesApiError && (error.status === 401 || error.status === 403);
}

/** The advice for the operator after a refusal. */
export function adviceFor(error: KubernetesApiError): string {
  return error.status === 401
    ? 'check the credentials of this context in the kubeconfig'
    : 'grant our account its rights: kubectl apply -f infra/deploy/kubernetes/rbac.yaml, or for given namespaces the chart with `namespaces`';
}

/** Rethrows an error; a refusal becomes an InputError with advice. */
export function rethrowAsRefusal(cluster: string): (error: unknown) => never {
  return (error) => {
    if (!isRefusal(error)) throw error;
    throw new InputError(`cluster "${cluster}" refuses us: ${errorMessage(error)}; ${adviceFor(error)}`);
  };
}
