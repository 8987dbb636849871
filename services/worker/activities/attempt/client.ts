import { KubernetesApiError } from '../../../adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import { pause } from '../../../adapters/waiting/pause.ts';
import type { AttemptDeadline } from './deadline.ts';

/** The limits of one attempt. */
interface AttemptLimits {
  deadline: AttemptDeadline;
  signal: AbortSignal;
  /**
   * True when the attempt has run for so long that it must end soon; a later attempt then continues. Heartbeats do not
   * change this time.
   */
  isLate(): boolean;
  /**
   * The longest wait for a busy server. A number of milliseconds is for an attempt whose deadline heartbeats renew: it
   * cuts a longer wait short. `deadline` is for a local activity, which has no heartbeats: a request that would wait
   * past the deadline fails instead.
   */
  longestWait: number | 'deadline';
}

/** The wait for a busy server that does not name a time, in milliseconds. */
const DEFAULT_WAIT_MS = 1000;

/**
 * The client for one attempt. The client sends a request that changes an object only before the deadline of the
 * attempt. It repeats a request that a busy server rejects after the wait that the server asks for, but after at most
 * `longestWait`; with `deadline`, it does not repeat a request whose wait would pass the deadline.
 */
export function createAttemptClient(client: KubernetesClient, attempt: AttemptLimits): KubernetesClient {
  return {
    ...client,
    async request<T>(request: ApiRequest): Promise<T> {
      const guarded = request.method === 'GET' ? request : checkDeadlineFirst(request, attempt.deadline);
      for (;;) {
        // Fails at once after the deadline; the client calls it again after its own waits.
        guarded.beforeSending?.();
        try {
          return await client.request<T>(guarded);
        } catch (error) {
          const wait = request.isBestEffort === true ? null : waitAfter(error, attempt);
          if (wait === null) throw error;
          await pause(wait, attempt.signal);
          attempt.signal.throwIfAborted();
        }
      }
    },
  };
}

/** The request, with a check of the deadline before it is sent; no caller sets another `beforeSending`. */
function checkDeadlineFirst(request: ApiRequest, deadline: AttemptDeadline): ApiRequest {
  return { ...request, beforeSending: () => deadline.check() };
}

/** The wait before a request is repeated, in milliseconds; null when the request is not repeated. */
function waitAfter(error: unknown, { deadline, isLate, longestWait }: AttemptLimits): number | null {
  if (!(error instanceof KubernetesApiError) || error.meaning !== 'throttled' || isLate()) return null;
  const wished = error.retryAfter === undefined ? DEFAULT_WAIT_MS : error.retryAfter * 1000;
  if (longestWait !== 'deadline') return Math.min(wished, longestWait);
  return wished < deadline.leftMs() ? wished : null;
}
