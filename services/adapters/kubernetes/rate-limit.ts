import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

/** Resolves when the next request may be sent, in the order of asking. @throws when `signal` is aborted before. */
export type RateLimit = (signal?: AbortSignal) => Promise<void>;

/** No limit, the default: the API server's own fairness decides. */
export const unlimited: RateLimit = () => Promise.resolve();

/** Requests a second to each API server, and how many may come at once after a pause. */
export const rateLimitEnvironment = z.object({
  JOBLEDGER_KUBE_API_QPS: z.coerce.number().positive().optional(),
  JOBLEDGER_KUBE_API_BURST: z.coerce.number().int().positive().optional(),
});

/** The limit that the environment asks for; each cluster has one of its own. */
export function rateLimitOf({
  JOBLEDGER_KUBE_API_QPS: qps,
  JOBLEDGER_KUBE_API_BURST: burst,
}: z.infer<typeof rateLimitEnvironment>): RateLimit {
  return qps === undefined ? unlimited : createRateLimit({ qps, burst: burst ?? Math.ceil(qps) });
}

interface Clock {
  now(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, signal === undefined ? {} : { signal }),
};

/** A token bucket, kept as the instant at which it will be full again. */
export function createRateLimit(
  { qps, burst }: { qps: number; burst: number },
  clock: Clock = systemClock,
): RateLimit {
  const perToken = 1000 / qps;
  let fullAt = 0;
  return async (signal) => {
    signal?.throwIfAborted();
    fullAt = Math.max(fullAt, clock.now()) + perToken;
    const wait = fullAt - clock.now() - burst * perToken;
    if (wait <= 0) return;
    try {
      await clock.sleep(wait, signal);
    } catch (error) {
      // Whoever gives up leaves the turn to the others.
      fullAt -= perToken;
      throw error;
    }
  };
}
