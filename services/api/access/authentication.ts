import { isDeepStrictEqual } from 'node:util';
import { parseHostPort, isLoopback } from '../../adapters/network/address.ts';
import { isPrintable } from '../../adapters/printable.ts';
import { ProblemError, type ProblemKind } from '../../adapters/http/problem.ts';
import type { Authentication, HttpRequest } from '../../adapters/http/http-server.ts';
import { createLimit, type Limit } from '../../adapters/http/limits.ts';
import { callerOfPerson, type PersonSource } from './people.ts';
import { whoIs, type AccessScope, type Caller, type Person } from './caller.ts';
import { createRecent } from './recent.ts';
import { findToken, type AccessEntry } from './tokens.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The scope that a token needs for this route; `any` means a valid token with any scopes, and `none` means no
     * token. Every route must set the scope.
     */
    scope?: AccessScope | 'any' | 'none';
    /** True for a check of the process itself, which is never refused, because its response costs no more than a refusal. */
    isProbe?: true;
    /** The problems that this route can respond with in addition to the problems of every route; for the OpenAPI document. */
    problems?: readonly ProblemKind[];
  }
  interface FastifyRequest {
    /** The authenticated caller, set by the onRequest hooks. */
    caller: Caller;
    /** True while the token is valid and has the same rights, for long responses such as streams. */
    isCurrent: () => Promise<boolean>;
  }
}

/** A caller without a token, who has rights in no place. */
const ANYBODY: Caller = { name: 'anybody', scopes: [], places: [], person: null };

/**
 * Without configured tokens, every program on this machine has rights in all places (`null`), except the scope audit, which needs a
 * token for one cluster.
 */
const LOCAL: Caller = {
  name: 'local',
  scopes: ['read', 'submit', 'operate', 'prices'],
  places: null,
  person: null,
};

/**
 * Returns the current lines of the file of tokens. This value is null when no file is configured, and only loopback
 * callers are allowed.
 */
export type Tokens = (() => readonly AccessEntry[]) | null;

/** The callers: the file of tokens, and the sources that identify the bearers of other tokens. */
export interface CallerSources {
  tokens: Tokens;
  people: readonly PersonSource[];
}

/** The limits of requests a minute. */
interface RequestLimits {
  ofCaller: Limit;
  /** The limit, for each address, of requests to routes that need no token and to unknown paths. */
  ofAddress: Limit;
  /** The limit of failed attempts for each address. */
  ofAttempts: Limit;
}

/**
 * The authentication of the API. `ratePerMinute` is the number of requests that each caller may make, and the number of requests
 * without a token and of failed attempts for each address; 0 means any number.
 */
export function createAuthentication(sources: CallerSources, ratePerMinute: number): Authentication {
  const limits = requestLimits(ratePerMinute);
  return {
    members: ['caller', 'isCurrent'],
    begin: (request) => void (request.caller = ANYBODY),
    guard: createGuard(sources, limits),
    callerName: ({ caller }) => caller.name,
  };
}

function requestLimits(perMinute: number): RequestLimits {
  const message = `this caller or address made more than ${perMinute} requests in a minute; try again later`;
  const limit = { points: perMinute, message };
  return {
    ofCaller: createLimit(limit),
    ofAddress: createLimit(limit),
    ofAttempts: createLimit(limit),
  };
}

/** Creates the check that lets a request through to its route, or responds 401, 403 or 429 before its body is read. */
function createGuard(access: CallerSources, limits: RequestLimits): Authentication['guard'] {
  const findCaller = createCallerFinder(access, limits.ofAttempts);
  return async (request) => {
    const { scope, isProbe } = request.routeOptions.config;
    if (isProbe === true) return;
    // A route without a scope is an unknown path, which gets a 404 later.
    if (scope === undefined || scope === 'none') return countRequest(limits.ofAddress, request.ip);
    const identify = (): Promise<Caller> => findCaller(request, scope);
    const caller = await identify();
    await countRequest(limits.ofCaller, whoIs(caller));
    request.caller = caller;
    request.isCurrent = () => isStillCaller(caller, identify);
    if (scope !== 'any' && !caller.scopes.includes(scope)) throw forbiddenProblem(caller, scope);
  };
}

/** Counts a request or an attempt. @throws ProblemError when the limit is used up. */
async function countRequest(limit: Limit, who: string): Promise<void> {
  await limit.require(who);
  await limit.charge(who, 1);
}

/** True when the credentials still identify the same caller with the same rights. */
async function isStillCaller(caller: Caller, identify: () => Promise<Caller>): Promise<boolean> {
  try {
    return isDeepStrictEqual(await identify(), caller);
  } catch {
    return false;
  }
}

type FindCaller = (request: HttpRequest, scope: AccessScope | 'any') => Promise<Caller>;

/** A token that identified a person is exempt from the limit of attempts for this time in milliseconds; the maximum number of such tokens. */
const [KNOWN_MS, MOST_KNOWN] = [600_000, 10_000];

/**
 * Returns a function that finds the caller of a request. Tokens of the file are compared in memory. Any other token
 * costs a request to an identity provider or a cluster, so attempts are limited first: callers can neither guess tokens
 * nor flood providers. A recently identified person is not blocked by other callers with the same address, such as the
 * address of a proxy.
 */
function createCallerFinder({ tokens, people }: CallerSources, attempts: Limit): FindCaller {
  const known = createRecent({ keptMs: KNOWN_MS, most: MOST_KNOWN });
  const identifyPerson = async (presented: string, address: string): Promise<Person> => {
    if (!known.has(presented)) await attempts.require(address);
    try {
      const person = await people.find((source) => source.accepts(presented))?.identify(presented);
      // The name is recorded with the requests of this caller and shown to users, so it must be printable.
      if (person === undefined || !isPrintable(person.name)) throw unknownTokenProblem();
      known.add(presented);
      return person;
    } catch (error) {
      known.delete(presented);
      await attempts.charge(address, 1);
      throw error;
    }
  };
  return async (request, scope) => {
    if (tokens === null) return localCaller(request);
    const entries = tokens();
    const presented = await bearerTokenIn(request, attempts);
    const token = findToken(entries, presented);
    if (token === undefined)
      return callerOfPerson(await identifyPerson(presented, request.ip), entries, scope);
    const { name, scopes, places } = token;
    return { name, scopes, places, person: null };
  };
}

/**
 * Reads the token of a request.
 * @throws ProblemError when the header is missing or malformed, which counts as an attempt, and when the attempts are used up.
 */
async function bearerTokenIn(
  { headers: { authorization }, ip }: HttpRequest,
  attempts: Limit,
): Promise<string> {
  const presented = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (presented !== undefined) return presented;
  await countRequest(attempts, ip);
  throw unauthorizedProblem(
    'give a token: "Authorization: Bearer …"',
    authorization === undefined
      ? 'Bearer realm="jobledger"'
      : 'Bearer realm="jobledger", error="invalid_request"',
  );
}

/** RFC 6750, section 2.1. */
const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

function unknownTokenProblem(): ProblemError {
  return unauthorizedProblem(
    'this token is unknown, or has expired',
    'Bearer realm="jobledger", error="invalid_token"',
  );
}

/**
 * The caller without tokens. Host and Origin must be loopback, because a foreign web page in a local browser could send
 * requests too (DNS rebinding).
 */
function localCaller({ headers }: HttpRequest): Caller {
  const host = hostIn(headers.host ?? '');
  const origin = headers.origin === undefined ? host : hostIn(headers.origin.replace(/^\w+:\/\//, ''));
  if (isLoopback(host) && isLoopback(origin)) return LOCAL;
  throw new ProblemError(
    'forbidden',
    'without tokens, only requests from this machine to a loopback address are allowed',
  );
}

function hostIn(text: string): string {
  return parseHostPort(text)?.host ?? text.replace(/^\[(.*)\]$/, '$1');
}

function unauthorizedProblem(detail: string, challenge: string): ProblemError {
  return new ProblemError('unauthorized', detail, { headers: { 'www-authenticate': challenge } });
}

function forbiddenProblem({ name, scopes, person }: Caller, wanted: AccessScope): ProblemError {
  const bearer = person === null ? `the token "${name}"` : `"${name}"`;
  const known = scopes.length === 0 ? 'no scope' : `the scope ${scopes.join(', ')}`;
  const detail = `${bearer} has ${known}; this needs ${wanted}`;
  return new ProblemError('forbidden', detail, {
    headers: {
      'www-authenticate': `Bearer realm="jobledger", error="insufficient_scope", scope="${wanted}"`,
    },
  });
}
