import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import swagger from '@fastify/swagger';
import {
  fastify,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { textOf, type Address } from '../address.ts';
import { InputError, messageOf } from '../errors.ts';
import { parseExact } from '../exact-json.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { ANYBODY, guard, type Tokens } from './access.ts';
import { descriptionOf, type About } from './description.ts';
import { generalProblemOf } from './failures.ts';
import { problemBody, ProblemError } from './problem.ts';

/** A server whose routes are described by zod schemas. */
export type HttpServer = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

export interface ServerOptions {
  log: Log;
  metrics: Metrics;
  tokens: Tokens;
  /** Bytes of a request's body at most. */
  bodyLimit: number;
  /** Milliseconds that an answer may take, streams apart. */
  timeoutMs: number;
  about: About;
  /** The problem of an error that routes throw; null for one that any server knows. */
  problemOf: (error: unknown) => ProblemError | null;
}

/** A request must have come whole within this time, in milliseconds, and its head within the other. */
const [REQUEST_MS, HEAD_MS] = [30_000, 10_000];

/** What is being answered at the stop has so many milliseconds. */
const CLOSE_MS = 1000;

const TOO_LARGE = 413;

const NO_ROUTE = 'there is nothing here by this method; /openapi.json tells what there is';

/** An id that a caller may give its request: it stands in logs, so it is short and plain. */
const REQUEST_ID = /^[\w.:@/-]{1,128}$/;

/** A server without routes yet: it knows who asks, counts and logs every request, and answers failures as problems. */
export async function createHttpServer(options: ServerOptions): Promise<HttpServer> {
  const { log, tokens, bodyLimit, timeoutMs } = options;
  const answer = problemAnswerer(log);
  const problemOf = (error: unknown): ProblemError => options.problemOf(error) ?? generalProblemOf(error);
  const server = fastify({
    requestIdHeader: false,
    genReqId: ({ headers }) => requestIdIn(headers['x-request-id']) ?? randomUUID(),
    bodyLimit,
    requestTimeout: REQUEST_MS,
    handlerTimeout: timeoutMs + 1000,
    http: { headersTimeout: HEAD_MS },
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) =>
      void answer(problemOf(error), request as FastifyRequest, reply as FastifyReply),
    routerOptions: { maxParamLength: 1024 },
  }).withTypeProvider<ZodTypeProvider>() as unknown as HttpServer;
  readExactly(server);
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  server.decorateRequest('caller');
  server.addHook('onRequest', async (request, reply) => {
    request.caller = ANYBODY;
    reply.header('x-request-id', request.id);
  });
  server.addHook('onRequest', guard(tokens));
  server.addHook('onRoute', (route) => {
    // A route that nobody thought about must not be open to anybody.
    if (route.config?.scope === undefined) throw new Error(`${route.url} says no scope`);
  });
  watchRequests(server, options);
  server.setErrorHandler((error, request, reply) => answer(problemOf(error), request, reply));
  server.setNotFoundHandler((request, reply) =>
    answer(new ProblemError('not-found', NO_ROUTE), request, reply),
  );
  await server.register(swagger, descriptionOf(options.about));
  return server;
}

/** Bodies keep every digit of their integers; the framework's own parser refuses what is not to be taken, in its words. */
function readExactly(server: HttpServer): void {
  const check = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    void check(request, body, (error) => done(error, error === null ? parseExact(body) : undefined));
  });
}

/** Listens, and tells where: with the port that was free when 0 was asked for. @throws InputError. */
export async function listen(server: HttpServer, address: Address): Promise<string> {
  try {
    await server.listen({ host: address.host, port: address.port });
  } catch (cause) {
    throw new InputError(`JOBLEDGER_API_ADDRESS: ${textOf(address)} cannot be listened on; give another`, {
      cause,
    });
  }
  const bound = server.server.address();
  return textOf({ ...address, ...(typeof bound === 'object' && bound !== null && { port: bound.port }) });
}

/** Takes nothing new, and gives what is being answered a moment to end. */
export async function close(server: HttpServer): Promise<void> {
  const limit = setTimeout(() => server.server.closeAllConnections(), CLOSE_MS);
  await server.close();
  clearTimeout(limit);
}

function requestIdIn(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : undefined;
}

/** Answers with a problem; what is our own fault goes to the log with its cause. */
function problemAnswerer(
  log: Log,
): (problem: ProblemError, request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  return (problem, { id, raw }, reply) => {
    const { status } = problem;
    if (status === TOO_LARGE) {
      // Closed at once, a caller that is still sending would see a broken connection instead of the answer.
      reply.removeHeader('connection');
      raw.resume();
    }
    if (status >= 500) log.error({ requestId: id, status, error: messageOf(problem) }, 'a request failed');
    return reply
      .code(status)
      .headers({ 'x-request-id': id, ...problem.headers })
      .type('application/problem+json')
      .serializer(JSON.stringify)
      .send(problemBody(problem, id));
  };
}

/** A line of the log and a sample for each request; a stream counts when it ends, and its length is no duration. */
function watchRequests(server: HttpServer, { log, metrics }: ServerOptions): void {
  const observe = metrics.histogram({
    name: 'http_request_duration_seconds',
    help: 'How long requests took, by method, route and status code; streams are left out.',
    labels: ['method', 'route', 'code'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  server.addHook('onResponse', async (request, reply) => {
    const { id, method, routeOptions, caller } = request;
    const route = routeOptions.url ?? 'none';
    const [seconds, code] = [reply.elapsedTime / 1000, String(reply.statusCode)];
    const isStream = String(reply.getHeader('content-type')).startsWith('text/event-stream');
    if (!isStream) observe({ method, route, code }, seconds);
    log.info({ requestId: id, method, route, code, seconds, caller: caller.name }, 'answered');
  });
}
