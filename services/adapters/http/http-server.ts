import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';

/** A server whose routes are described by zod schemas. */
export type HttpServer = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

export type HttpRequest = FastifyRequest;

/** Decides which callers may make requests. */
export interface Authentication {
  /** The members that the server adds to a request. */
  members: readonly string[];
  /** Prepares a request before its caller is authenticated. */
  begin(request: HttpRequest): void;
  /** Lets a request through to its route, or throws a problem before its body is read. */
  guard: onRequestAsyncHookHandler;
  /** For the log. */
  callerName(request: HttpRequest): string;
}
