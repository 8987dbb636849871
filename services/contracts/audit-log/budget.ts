import type { ApiRequestAudited } from '../../../workflows/job/events.ts';
import { dropOldest } from '../../adapters/drop-oldest.ts';
import { apiRequestsIn, type AuditScope, type AuditTranslation } from './api-requests.ts';

/** The limit of recorded requests for each namespace: this many at once, and then this many a second. */
const [AT_ONCE, PER_SECOND] = [2000, 50];
/** The most namespaces that are counted; the oldest ones are forgotten first, and start over. */
const MOST = 10_000;

/**
 * The result of a record of an audit log, and the number of events that are left out because their namespace had too
 * many.
 */
export interface LimitedTranslation extends AuditTranslation {
  limited: number;
}

/** The result of `apiRequestsIn`, with the events that the budget allows. */
export function apiRequestsWithin(
  budget: Budget,
  scope: AuditScope,
  value: unknown,
  time: string,
): LimitedTranslation {
  const { result, events } = apiRequestsIn(scope, value, time);
  const within = events.filter((event) => budget(event));
  return { result, events: within, limited: events.length - within.length };
}

/** The fields that are read from a request. */
type Counted = Pick<ApiRequestAudited, 'subject'> & { data: Pick<ApiRequestAudited['data'], 'receivedAt'> };

/**
 * True when another event of a namespace may be recorded. Further requests are only counted, so no namespace fills
 * the ledger.
 */
export type Budget = (request: Counted) => boolean;

/**
 * The time is when API servers received the requests, so that late reading makes no difference; it is never later
 * than now.
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
