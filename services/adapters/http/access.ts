import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { addressIn, isLoopback } from '../address.ts';
import { ProblemError } from './problem.ts';
import { callerOf, type Caller, type AccessScope, type Token } from './tokens.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a token must allow for this route; `none`: no token is asked for. Every route says. */
    scope?: AccessScope | 'none';
  }
  interface FastifyRequest {
    /** Who asks, once that was checked. */
    caller: Caller;
  }
}

/** Whoever has no token. */
export const ANYBODY: Caller = { name: 'anybody', scopes: [] };

/** Without tokens every program of this machine is its user. */
const LOCAL: Caller = { name: 'local', scopes: ['read', 'operate'] };

/** The tokens of this moment; null: none are asked for, and only this machine is answered. */
export type Tokens = (() => readonly Token[]) | null;

/** Lets a request through to its route, or answers 401 or 403 before anything of its body is read. */
export function guard(tokens: Tokens): onRequestAsyncHookHandler {
  return async (request) => {
    const { scope } = request.routeOptions.config;
    // A path that there is none of is answered 404.
    if (scope === undefined || scope === 'none') return;
    request.caller = tokens === null ? localCaller(request) : tokenCaller(request, tokens());
    if (!request.caller.scopes.includes(scope)) throw forbidden(request.caller, scope);
  };
}

function tokenCaller({ headers }: FastifyRequest, tokens: readonly Token[]): Caller {
  const { authorization } = headers;
  if (authorization === undefined)
    throw unauthorized('give a token: "Authorization: Bearer …"', 'Bearer realm="jobledger"');
  const [, presented] = /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization) ?? [];
  const caller = presented === undefined ? undefined : callerOf(tokens, presented);
  if (caller !== undefined) return caller;
  throw unauthorized('this token is not known', 'Bearer realm="jobledger", error="invalid_token"');
}

/** A page of somebody else's in a browser on this machine could ask as well, by a name that leads here: it is refused. */
function localCaller({ headers }: FastifyRequest): Caller {
  const host = hostOf(headers.host ?? '');
  const origin = headers.origin === undefined ? host : hostOf(headers.origin.replace(/^\w+:\/\//, ''));
  if (isLoopback(host) && isLoopback(origin)) return LOCAL;
  throw new ProblemError('forbidden', 'without tokens only this machine is answered, by a loopback address');
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
