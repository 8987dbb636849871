import { isDeepStrictEqual } from 'node:util';
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { addressIn, isLoopback } from '../address.ts';
import { ProblemError, type ProblemKind } from './problem.ts';
import type { CountRequest } from './limits.ts';
import { callerOfPerson, type PersonSource } from './people.ts';
import type { AccessScope, Caller } from './caller.ts';
import { tokenOf, type AccessEntry } from './tokens.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The scope that a token needs for this route; `any`: a valid token, whatever its scopes; `none`: no token needed. Every
     * route must set it.
     */
    scope?: AccessScope | 'any' | 'none';
    /** The problems that this route can respond with, beyond those of every route (description.ts). */
    problems?: readonly ProblemKind[];
  }
  interface FastifyRequest {
    /** The authenticated caller, set by the onRequest hooks. */
    caller: Caller;
    /** Whether the token is still valid and has the same rights: for responses that last, such as streams. */
    isCurrent: () => Promise<boolean>;
  }
}

/** A caller without a token. */
export const ANYBODY: Caller = { name: 'anybody', scopes: [], places: [], person: null };

/** Without configured tokens, every program on this machine is a full user. */
const LOCAL: Caller = { name: 'local', scopes: ['read', 'submit', 'operate'], places: null, person: null };

/** Returns the current lines of the file of tokens. Null: there is no file, and only loopback callers are allowed. */
export type Tokens = (() => readonly AccessEntry[]) | null;

/** Who may call: the file of tokens, and who identifies the bearers of other tokens. */
export interface CallerSources {
  tokens: Tokens;
  people: readonly PersonSource[];
}

/** Lets a request through to its route, or responds 401, 403 or 429 before its body is read. */
export function guard(access: CallerSources, count: CountRequest): onRequestAsyncHookHandler {
  return async (request) => {
    const { scope } = request.routeOptions.config;
    // Unknown paths get a 404.
    if (scope === undefined || scope === 'none') return;
    const identify = (): Promise<Caller> => callerOf(request, access, scope);
    const caller = await counted(request, identify, count);
    request.caller = caller;
    request.isCurrent = () => isSame(caller, identify);
    if (scope !== 'any' && !caller.scopes.includes(scope)) throw forbidden(caller, scope);
  };
}

/** Also counts attempts without a valid token, for each address, so that tokens cannot be guessed at any speed. */
async function counted(
  request: FastifyRequest,
  identify: () => Promise<Caller>,
  count: CountRequest,
): Promise<Caller> {
  try {
    const caller = await identify();
    await count(request, `${caller.person === null ? 'caller' : 'person'} ${caller.name}`);
    return caller;
  } catch (error) {
    if (error instanceof ProblemError && error.kind === 'unauthorized')
      await count(request, `address ${request.ip}`);
    throw error;
  }
}

async function isSame(caller: Caller, identify: () => Promise<Caller>): Promise<boolean> {
  try {
    return isDeepStrictEqual(await identify(), caller);
  } catch {
    return false;
  }
}

async function callerOf(
  request: FastifyRequest,
  { tokens, people }: CallerSources,
  scope: AccessScope | 'any',
): Promise<Caller> {
  if (tokens === null) return localCaller(request);
  const presented = bearerTokenIn(request);
  const entries = tokens();
  const token = tokenOf(entries, presented);
  if (token !== undefined) {
    const { name, scopes, places } = token;
    return { name, scopes, places, person: null };
  }
  const person = await people.find((source) => source.accepts(presented))?.identify(presented);
  if (person !== undefined) return callerOfPerson(person, entries, scope);
  throw unauthorized(
    'this token is unknown, or has expired',
    'Bearer realm="jobledger", error="invalid_token"',
  );
}

/** The token of a request; an empty one, which nobody has, when the header has another form. */
function bearerTokenIn({ headers: { authorization } }: FastifyRequest): string {
  if (authorization === undefined)
    throw unauthorized('give a token: "Authorization: Bearer …"', 'Bearer realm="jobledger"');
  const [, presented = ''] = /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization) ?? [];
  return presented;
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

function forbidden({ name, scopes, person }: Caller, wanted: AccessScope): ProblemError {
  const bearer = person === null ? `the token "${name}"` : `"${name}"`;
  const known = scopes.length === 0 ? 'no scope' : `the scope ${scopes.join(', ')}`;
  const detail = `${bearer} has ${known}; this needs ${wanted}`;
  return new ProblemError('forbidden', detail, {
    headers: {
      'www-authenticate': `Bearer realm="jobledger", error="insufficient_scope", scope="${wanted}"`,
    },
  });
}
