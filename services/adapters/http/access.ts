import { isDeepStrictEqual } from 'node:util';
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { addressIn, isLoopback } from '../address.ts';
import { ProblemError, type ProblemKind } from './problem.ts';
import type { CountRequest } from './limits.ts';
import { callerOf, type Caller, type AccessScope, type Token } from './tokens.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that a token needs for this route; `none`: no token needed. Every route must set it. */
    scope?: AccessScope | 'none';
    /** The problems that this route can respond with, beyond those of every route (description.ts). */
    problems?: readonly ProblemKind[];
  }
  interface FastifyRequest {
    /** The authenticated caller, set by the onRequest hooks. */
    caller: Caller;
    /** Whether the token is still valid and has the same rights: for responses that last, such as streams. */
    isCurrent: () => boolean;
  }
}

/** A caller without a token. */
export const ANYBODY: Caller = { name: 'anybody', scopes: [], places: [] };

/** Without configured tokens, every program on this machine is a full user. */
const LOCAL: Caller = { name: 'local', scopes: ['read', 'submit', 'operate'], places: null };

/** Returns the current tokens. Null: no tokens are configured, and only loopback callers are allowed. */
export type Tokens = (() => readonly Token[]) | null;

/** Lets a request through to its route, or responds 401, 403 or 429 before its body is read. */
export function guard(tokens: Tokens, count: CountRequest): onRequestAsyncHookHandler {
  return async (request) => {
    const { scope } = request.routeOptions.config;
    // Unknown paths get a 404.
    if (scope === undefined || scope === 'none') return;
    const identify = (): Caller => (tokens === null ? localCaller(request) : tokenCaller(request, tokens()));
    const caller = await counted(request, identify, count);
    request.caller = caller;
    request.isCurrent = () => isSame(caller, identify);
    if (!request.caller.scopes.includes(scope)) throw forbidden(request.caller, scope);
  };
}

/** Also counts attempts without a valid token, for each address, so that tokens cannot be guessed at any speed. */
async function counted(
  request: FastifyRequest,
  identify: () => Caller,
  count: CountRequest,
): Promise<Caller> {
  try {
    const caller = identify();
    await count(request, `caller ${caller.name}`);
    return caller;
  } catch (error) {
    if (error instanceof ProblemError && error.kind === 'unauthorized')
      await count(request, `address ${request.ip}`);
    throw error;
  }
}

function isSame(caller: Caller, identify: () => Caller): boolean {
  try {
    return isDeepStrictEqual(identify(), caller);
  } catch {
    return false;
  }
}

function tokenCaller({ headers }: FastifyRequest, tokens: readonly Token[]): Caller {
  const { authorization } = headers;
  if (authorization === undefined)
    throw unauthorized('give a token: "Authorization: Bearer …"', 'Bearer realm="jobledger"');
  const [, presented] = /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization) ?? [];
  const caller = presented === undefined ? undefined : callerOf(tokens, presented);
  if (caller !== undefined) return caller;
  throw unauthorized(
    'this token is unknown, or has expired',
    'Bearer realm="jobledger", error="invalid_token"',
  );
}

/**
 * A foreign web page in a local browser could send requests too (DNS rebinding), so Host and Origin must be loopback.
 */
function localCaller({ headers }: FastifyRequest): Caller {
  const host = hostOf(headers.host ?? '');
  const origin = headers.origin === undefined ? host : hostOf(headers.origin.replace(/^\w+:\/\//, ''));
  if (isLoopback(host) && isLoopback(origin)) return LOCAL;
  throw new ProblemError(
    'forbidden',
    'without tokens, only requests from this machine to a loopback address are allowed',
  );
}

function hostOf(text: string): string {
  return addressIn(text)?.host ?? text.replace(/^\[(.*)\]$/, '$1');
}

function unauthorized(detail: string, challenge: string): ProblemError {
  return new ProblemError('unauthorized', detail, { headers: { 'www-authenticate': challenge } });
}

function forbidden({ name, scopes }: Caller, wanted: AccessScope): ProblemError {
  const detail = `the token "${name}" has the scope ${scopes.join(', ')}; this needs ${wanted}`;
  return new ProblemError('forbidden', detail, {
    headers: {
      'www-authenticate': `Bearer realm="jobledger", error="insufficient_scope", scope="${wanted}"`,
    },
  });
}
