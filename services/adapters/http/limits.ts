import helmet from '@fastify/helmet';
import underPressure from '@fastify/under-pressure';
import type { FastifyRequest } from 'fastify';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { ProblemError } from './problem.ts';
import type { HttpServer } from './http-server.ts';

/** Seconds that a refused caller waits when the process itself is overloaded. */
const PRESSURE_S = 5;

/** Requests are refused while the event loop lags by more than this number of milliseconds and more than this number of requests have begun. */
const [LAG_MS, MOST_BEGUN] = [1000, 50];

const MINUTE_S = 60;

/** Headers for browsers: responses are data, never pages to render, embed or send on. */
export async function addSecurityHeaders(server: HttpServer): Promise<void> {
  await server.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    // The proxy in front says whether the name is served by TLS only.
    strictTransportSecurity: false,
  });
}

/**
 * Responds 503 while the process is overloaded, except to routes without a scope: probes must see that it runs.
 * A slow event loop alone is not a reason: on a busy machine it is slow for a single request too, and refusing that
 * request would not help. Only with many requests at once does refusing further ones speed up those that have begun.
 */
export async function shedLoad(server: HttpServer): Promise<void> {
  const begun = new Set<FastifyRequest>();
  server.addHook('onRequest', async (request) => void begun.add(request));
  // The hook also runs before a stream, which takes long but costs no work, and for errors and timeouts.
  server.addHook('onSend', async (request) => void begun.delete(request));
  server.addHook('onRequestAbort', async (request) => void begun.delete(request));
  await server.register(underPressure, {
    maxEventLoopDelay: LAG_MS,
    pressureHandler: ({ routeOptions }) => {
      const { scope } = routeOptions.config;
      if (scope === undefined || scope === 'none' || begun.size <= MOST_BEGUN) return;
      throw new ProblemError('unavailable', 'this process is overloaded; try again later', {
        headers: { 'retry-after': String(PRESSURE_S) },
      });
    },
  });
}

/** The budget of each caller in a minute. */
export interface Limit {
  /** @throws ProblemError if the limit is used up. */
  require: (who: string) => Promise<void>;
  /** Adds to someone's use. */
  charge: (who: string, points: number) => Promise<void>;
}

/** `points` a minute for each; 0: no limit. `message` is the text of the error beyond the limit. */
export function createLimit({ points, message }: { points: number; message: string }): Limit {
  if (points === 0) return { require: () => Promise.resolve(), charge: () => Promise.resolve() };
  const used = new RateLimiterMemory({ points, duration: MINUTE_S });
  return {
    async require(who) {
      const found = await used.get(who);
      if (found === null || found.consumedPoints < points) return;
      throw new ProblemError('too-many-requests', message, {
        headers: { 'retry-after': String(Math.ceil(found.msBeforeNext / 1000)) },
      });
    },
    charge: async (who, by) => void (await used.penalty(who, Math.ceil(by))),
  };
}
