import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import underPressure from '@fastify/under-pressure';
import type { FastifyRequest } from 'fastify';
import { ProblemError } from './problem.ts';
import type { HttpServer } from './http-server.ts';

/** Seconds that a refused caller waits when the process itself is overloaded. */
const PRESSURE_S = 5;

/** Milliseconds by which the event loop may lag before requests are refused. */
const LAG_MS = 1000;

const MINUTE_MS = 60_000;

/** Headers for browsers: responses are data, never pages to render, embed or send on. */
export async function addSecurityHeaders(server: HttpServer): Promise<void> {
  await server.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    // Whether the name is served by TLS only is for the proxy in front to say.
    strictTransportSecurity: false,
  });
}

/** Responds 503 while the process is overloaded, except to routes without a scope: probes must see that it runs. */
export async function shedLoad(server: HttpServer): Promise<void> {
  await server.register(underPressure, {
    maxEventLoopDelay: LAG_MS,
    pressureHandler: ({ routeOptions }) => {
      const { scope } = routeOptions.config;
      if (scope === undefined || scope === 'none') return;
      throw new ProblemError('unavailable', 'this process is overloaded; try again later', {
        headers: { 'retry-after': String(PRESSURE_S) },
      });
    },
  });
}

/** Counts a request of someone. @throws ProblemError beyond the rate. */
export type CountRequest = (request: FastifyRequest, who: string) => Promise<void>;

/** A limit of requests a minute, for each caller and for each address without a valid token; 0: none. */
export async function rateLimiter(server: HttpServer, perMinute: number): Promise<CountRequest> {
  if (perMinute === 0) return async () => undefined;
  await server.register(rateLimit, { global: false });
  const whose = new WeakMap<FastifyRequest, string>();
  const count = server.createRateLimit({
    max: perMinute,
    timeWindow: MINUTE_MS,
    keyGenerator: (request) => whose.get(request) ?? request.ip,
  });
  return async (request, who) => {
    whose.set(request, who);
    const counted = await count(request);
    if (counted.isAllowed || !counted.isExceeded) return;
    throw new ProblemError('too-many-requests', `more than ${perMinute} requests in a minute`, {
      headers: { 'retry-after': String(counted.ttlInSeconds) },
    });
  };
}
