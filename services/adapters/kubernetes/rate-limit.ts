import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

/** Resolves when the next request may be sent, in the order of the calls. @throws when `signal` is aborted first. */
export type RateLimit = (signal?: AbortSignal) => Promise<void>;

/** No limit, which is the default: API Priority and Fairness of the server limits the requests. */
export const unlimited: RateLimit = () => Promise.resolve();

/** The requests per second to each API server, and the burst after a pause. */
export const rateLimitEnvironment = z.object({
  JOBLEDGER_KUBE_API_QPS: z.coerce.number().positive().optional(),
  JOBLEDGER_KUBE_API_BURST: z.coerce.number().int().positive().optional(),
});

/** The configured limit. Each cluster has its own rate limiter. */
export function configuredRateLimit({
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

/** A token bucket, stored as the time at which the bucket is full again. */
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
      // An aborted request returns its token.
      fullAt -= perToken;
      throw error;
    }
  };
}
