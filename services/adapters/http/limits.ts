import helmet from '@fastify/helmet';
import underPressure from '@fastify/under-pressure';
import type { FastifyRequest } from 'fastify';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { ProblemError } from './problem.ts';
import type { HttpServer } from './http-server.ts';

/** The number of seconds that a refused caller waits when the process itself is overloaded. */
const PRESSURE_S = 5;

/** Requests are refused while the event loop lags by more than this number of milliseconds and more than this number of requests have begun. */
const [LAG_MS, MOST_BEGUN] = [1000, 50];

const MINUTE_S = 60;

/** Headers that forbid browsers to render or embed a response, or to send its address to other sites. */
export async function addSecurityHeaders(server: HttpServer): Promise<void> {
  await server.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    // The proxy in front of the API decides whether its host name is served by TLS only.
    strictTransportSecurity: false,
  });
}

/**
 * Responds 503 while the process is overloaded, except to routes without a scope, because probes must see that the process runs.
 * A slow event loop alone is not a reason: on a busy machine it is slow for a single request too, and a refusal would
 * not help. A refusal speeds up pending requests only when many requests have begun.
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

/** The number of points that each caller may use in a minute. */
export interface Limit {
  /** Checks the use of a caller. @throws ProblemError if the limit is used up. */
  require: (who: string) => Promise<void>;
  /** Adds points to the use of a caller. */
  charge: (who: string, points: number) => Promise<void>;
}

/** Allows each caller `points` a minute; 0 means no limit. `message` is the text of the error beyond the limit. */
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
