import type { ApiRequestAudited } from '../../workflows/job/events.ts';
import { dropOldest } from '../adapters/drop-oldest.ts';
import { apiRequestsIn, type AuditScope, type AuditTranslation } from './api-requests.ts';

/** The limits of recorded requests for each namespace: the number at once, and then the number per second. */
const [AT_ONCE, PER_SECOND] = [2000, 50];
/**
 * The maximum number of counted namespaces. The namespaces with the oldest requests are forgotten first, and get a full
 * budget again.
 */
const MOST = 10_000;

/**
 * The result of a record of an audit log, and the number of events that are left out because their namespace had too many events.
 */
export interface LimitedTranslation extends AuditTranslation {
  limited: number;
}

/** The result of `apiRequestsIn`, with the events that the budget allows. */
export function apiRequestsInBudget(
  budget: Budget,
  scope: AuditScope,
  value: unknown,
  time: string,
): LimitedTranslation {
  const { result, events } = apiRequestsIn(scope, value, time);
  const within = events.filter((event) => budget(event));
  return { result, events: within, limited: events.length - within.length };
}

/** The fields of a request that the budget needs. */
type Counted = Pick<ApiRequestAudited, 'subject'> & { data: Pick<ApiRequestAudited['data'], 'receivedAt'> };

/**
 * Counts a request; returns true when its event may be recorded. Further requests are only counted, so no namespace can
 * fill the ledger.
 */
export type Budget = (request: Counted) => boolean;

/**
 * Creates the budget of each namespace. The budget depends on the times at which API servers received the requests, so
 * that late reading makes no difference. A time in the future counts as the present.
 */
export function createBudget(now: () => number = Date.now): Budget {
  const left = new Map<string, { tokens: number; at: number }>();
  return ({ subject, data }) => {
    const namespace = subject.split('/', 1).join('');
    const received = Math.min(Date.parse(data.receivedAt), now());
    const before = left.get(namespace) ?? { tokens: AT_ONCE, at: received };
    const at = Math.max(before.at, received);
    const tokens = Math.min(AT_ONCE, before.tokens + ((at - before.at) / 1000) * PER_SECOND);
    const isLeft = tokens >= 1;
    left.delete(namespace);
    left.set(namespace, { tokens: isLeft ? tokens - 1 : tokens, at });
    dropOldest(left, MOST);
    return isLeft;
  };
}
