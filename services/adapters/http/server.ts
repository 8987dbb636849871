import { randomUUID } from 'node:crypto';
import swagger from '@fastify/swagger';
import { fastify, type FastifyReply, type FastifyRequest } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { addressText, type Address } from '../network/address.ts';
import { InputError, errorMessage } from '../errors.ts';
import { parseExact } from '../exact-json.ts';
import type { Log } from '../process/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Certificate } from './certificate.ts';
import { compressResponses } from './compression.ts';
import { VERSION_HEADER } from './version-header.ts';
import { apiDescription, type About } from './description.ts';
import { toGeneralProblem } from './failures.ts';
import { addSecurityHeaders, shedLoad } from './limits.ts';
import type { Authentication, HttpServer } from './http-server.ts';
import { problemBody, ProblemError } from './problem.ts';

export interface ServerOptions {
  log: Log;
  metrics: Metrics;
  /** The server's certificate; absent or null without TLS. */
  certificate?: Certificate | null;
  authentication: Authentication;
  /** The largest request body, in bytes. */
  bodyLimit: number;
  /** The longest time for a response, in milliseconds; streams are exempt. */
  timeoutMs: number;
  /**
   * The trusted proxies in front of this server, by address or network: a request from one of them is attributed to the
   * address that it adds to X-Forwarded-For.
   */
  trustedProxies?: readonly string[];
  about: About;
  /** Converts an error thrown by a route to a problem; null for errors that `toGeneralProblem` handles. */
  toProblem: (error: unknown) => ProblemError | null;
}

/** The time limits for receiving a whole request and its headers, in milliseconds. */
const [REQUEST_MS, HEAD_MS] = [30_000, 10_000];

/** The time that pending responses get at shutdown, in milliseconds. */
const CLOSE_MS = 1000;

const TOO_LARGE = 413;

const NO_ROUTE = 'no such route for this method; /openapi.json lists the routes';

/** A request id set by the caller. The id is logged, so it must be short and plain. */
const REQUEST_ID = /^[\w.:@/-]{1,128}$/;

/**
 * Creates a server without routes. The server authenticates callers, counts and logs every request, and responds to
 * errors with problems.
 */
export async function createHttpServer(options: ServerOptions): Promise<HttpServer> {
  const { log, authentication, bodyLimit, certificate = null, timeoutMs, trustedProxies = [] } = options;
  const answer = problemAnswerer(log);
  const toProblem = (error: unknown): ProblemError => options.toProblem(error) ?? toGeneralProblem(error);
  const server = fastify({
    ...(certificate !== null && { https: certificate.pair }),
    trustProxy: [...trustedProxies],
    requestIdHeader: false,
    genReqId: ({ headers }) => requestIdIn(headers['x-request-id']) ?? randomUUID(),
    bodyLimit,
    requestTimeout: REQUEST_MS,
    handlerTimeout: timeoutMs + 1000,
    http: { headersTimeout: HEAD_MS },
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) =>
      void answer(toProblem(error), request as FastifyRequest, reply as FastifyReply),
    // A name may have 1000 characters, and each character may take twelve in a URL.
    routerOptions: { maxParamLength: 12_000 },
  }).withTypeProvider<ZodTypeProvider>() as unknown as HttpServer;
  certificate?.keepFresh(server.server);
  readExactly(server);
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  for (const member of authentication.members) server.decorateRequest(member);
  server.addHook('onRequest', async (request, reply) => {
    authentication.begin(request);
    reply.header('x-request-id', request.id);
  });
  await addSecurityHeaders(server);
  await shedLoad(server);
  await compressResponses(server);
  server.addHook('onRequest', authentication.guard);
  // Only callers that may use the API get the version.
  server.addHook('onRequest', async ({ routeOptions }, reply) => {
    if (routeOptions.config.scope !== 'none') reply.header(VERSION_HEADER, options.about.version);
  });
  refuseOtherMethods(server);
  server.addHook('onRoute', (route) => {
    // A route must declare its scope, so that no route is public by accident.
    if (route.config?.scope === undefined) throw new Error(`${route.url} declares no scope`);
  });
  watchRequests(server, options);
  server.setErrorHandler((error, request, reply) => answer(toProblem(error), request, reply));
  server.setNotFoundHandler((request, reply) =>
    answer(new ProblemError('not-found', NO_ROUTE), request, reply),
  );
  await server.register(swagger, apiDescription(options.about));
  return server;
}

/** Responds 405, with the methods that a path has, before the body of a request without route is read. */
function refuseOtherMethods(server: HttpServer): void {
  const methods = new Map<string, Set<string>>();
  server.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const each of [method].flat()) known.add(each);
    methods.set(url, known);
  });
  server.addHook('onRequest', async ({ is404, url, method }) => {
    if (!is404) return;
    const path = url.replace(/[?#].*/s, '');
    const found = [...methods].find(([route]) => routePattern(route).test(path));
    if (found === undefined) return;
    const allow = [...found[1]].toSorted().join(', ');
    throw new ProblemError(
      'method-not-allowed',
      `${method} is not possible for this path; possible: ${allow}`,
      {
        headers: { allow },
      },
    );
  });
}

function routePattern(route: string): RegExp {
  return new RegExp(`^${route.replaceAll('.', String.raw`\.`).replaceAll(/:[^/]+/g, '[^/]+')}$`);
}

/** The deepest nesting of lists and objects: a Job has about a dozen levels, and deeper ones would exhaust the reader's stack. */
const DEEPEST = 128;

/** Parses bodies with exact integers. The framework's own parser runs first and rejects dangerous bodies with its messages. */
function readExactly(server: HttpServer): void {
  const check = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (isDeeperThan(DEEPEST, body))
      return done(
        new ProblemError('bad-request', `the body is nested deeper than ${DEEPEST} lists and objects`),
      );
    void check(request, body, (error) => done(error, error === null ? parseExact(body) : undefined));
  });
}

/** True when a JSON text is nested deeper than the limit. The check reads the text once, even if it is not JSON. */
function isDeeperThan(most: number, text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isInString && character === '\\') at += 1;
    else if (character === '"') isInString = !isInString;
    else if (isInString) continue;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > most) return true;
  }
  return false;
}

/** Starts listening and returns the address, with the actual port when 0 was given. @throws InputError. */
export async function listen(server: HttpServer, address: Address): Promise<string> {
  try {
    await server.listen({ host: address.host, port: address.port });
  } catch (cause) {
    throw new InputError(
      `JOBLEDGER_API_ADDRESS: ${addressText(address)} cannot listen on this address; set another`,
      {
        cause,
      },
    );
  }
  const bound = server.server.address();
  return addressText({
    ...address,
    ...(typeof bound === 'object' && bound !== null && { port: bound.port }),
  });
}

/** Stops accepting requests and gives pending responses a short time to finish. */
export async function close(server: HttpServer): Promise<void> {
  const limit = setTimeout(() => server.server.closeAllConnections(), CLOSE_MS);
  await server.close();
  clearTimeout(limit);
}

function requestIdIn(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : undefined;
}

/** Responds with a problem and logs server errors with their cause. */
function problemAnswerer(
  log: Log,
): (problem: ProblemError, request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  return (problem, { id, raw }, reply) => {
    const { status } = problem;
    if (status === TOO_LARGE) {
      // If the connection were closed at once, a caller that is still sending would see a broken connection instead of the
      // response.
      reply.removeHeader('connection');
      raw.resume();
    }
    // No caller waits for the response of a closed connection, and the request failed because it was closed.
    if (status >= 500 && !raw.socket.destroyed)
      log.error({ requestId: id, status, error: errorMessage(problem) }, 'a request failed');
    return reply
      .code(status)
      .headers({ 'x-request-id': id, ...problem.headers })
      .type('application/problem+json')
      .serializer(JSON.stringify)
      .send(problemBody(problem, id));
  };
}

/** Logs every request when it ends and records its duration, except for streams. */
function watchRequests(server: HttpServer, { log, metrics, authentication }: ServerOptions): void {
  const observe = metrics.histogram({
    name: 'http_request_duration_seconds',
    help: 'The duration of requests, by method, route and status code, without streams.',
    labels: ['method', 'route', 'code'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  server.addHook('onResponse', async (request, reply) => {
    const { id, method, routeOptions } = request;
    const route = routeOptions.url ?? 'none';
    const [seconds, code] = [reply.elapsedTime / 1000, String(reply.statusCode)];
    const isStream = String(reply.getHeader('content-type')).startsWith('text/event-stream');
    if (!isStream) observe({ method, route, code }, seconds);
    const caller = authentication.callerName(request);
    log.info({ requestId: id, method, route, code, seconds, caller }, 'answered');
  });
}
