import type { IncomingMessage } from 'node:http';
import { seededRandom } from '../support/random.ts';
import { type Outage, startOutage } from './outages.ts';

/**
 * The faults of some requests of a round: a load balancer answers with a page of its own, the API server or a policy refuses a change, or the answer
 * to a change that was carried out is lost.
 */
export const REQUEST_FAULTS = ['404 page', '502 page', '409', '422', '429', 'unanswered'] as const;
export type RequestFault = (typeof REQUEST_FAULTS)[number];

/** `percent` of the requests that a fault concerns have it; `seed` determines these requests. */
export interface RequestFaults {
  fault: RequestFault;
  percent: 1 | 5 | 10;
  seed: number;
}

/** The answer of a proxy instead of the API server's. */
export interface InsteadOfAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Requests to an API server with faults, which never concern watches. */
export interface FaultyRequests {
  /** From now on requests have these faults instead of the earlier ones. */
  arm(faults: RequestFaults): void;
  /** From now on all requests pass. */
  disarm(): void;
  /** The answer instead of carrying the request out; `unanswered`: the request is carried out, but the answer is lost. Null: it passes. */
  nextFault(request: Pick<IncomingMessage, 'method' | 'url'>): InsteadOfAnswer | 'unanswered' | null;
  /** The times when requests had faults, so that their effects are late. */
  outages: readonly Outage[];
  counts: Readonly<Record<RequestFault, number>>;
}

/** A refusal is tried again after up to this time, in milliseconds: the delay doubles with each one. */
const DELAYED_MS = 8000;

export function createFaultyRequests(): FaultyRequests {
  let armed: (RequestFaults & { random: () => number }) | null = null;
  const outages: Outage[] = [];
  const counts = Object.fromEntries(REQUEST_FAULTS.map((fault) => [fault, 0])) as Record<
    RequestFault,
    number
  >;
  return {
    arm: (faults) => void (armed = { ...faults, random: seededRandom(faults.seed) }),
    disarm: () => void (armed = null),
    nextFault({ method = 'GET', url = '/' }) {
      if (armed === null || !isConcerned(armed.fault, method, url)) return null;
      if (armed.random() >= armed.percent / 100) return null;
      const { fault } = armed;
      counts[fault] += 1;
      outages.push(startOutage(DELAYED_MS));
      return fault === 'unanswered' ? fault : faultyAnswer(fault);
    },
    outages,
    counts,
  };
}

/** Pages concern all requests but watches, the other faults only requests that change Jobs, pods and Events. */
function isConcerned(fault: RequestFault, method: string, url: string): boolean {
  if (fault.endsWith('page')) return !url.includes('watch=1');
  return method !== 'GET' && /\/namespaces\/[^/]+\/(?:jobs|pods|events)\b/.test(url);
}

function faultyAnswer(fault: Exclude<RequestFault, 'unanswered'>): InsteadOfAnswer {
  switch (fault) {
    case '404 page':
      return { status: 404, headers: { 'content-type': 'text/plain' }, body: 'default backend - 404' };
    case '502 page':
      return {
        status: 502,
        headers: { 'content-type': 'text/html' },
        body: '<html><body><h1>502 Bad Gateway</h1></body></html>',
      };
    case '409':
      return refusal(
        409,
        'Conflict',
        'Operation cannot be fulfilled on resourcequotas "q": it has been modified',
      );
    case '422':
      return refusal(422, 'Invalid', `ValidatingAdmissionPolicy 'kills' with binding 'b' denied request: no`);
    case '429':
      return {
        status: 429,
        headers: { 'content-type': 'text/plain', 'retry-after': '1' },
        body: 'Too many requests, please try again later.',
      };
  }
}

function refusal(status: number, reason: string, message: string): InsteadOfAnswer {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, reason, message };
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
