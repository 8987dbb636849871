import { dropOldest } from '../../adapters/drop-oldest.ts';

/** The new Events of a namespace that may be recorded at once, and then per second. */
const [AT_ONCE, PER_SECOND] = [300, 2];
/** The maximum number of counted namespaces; a forgotten namespace gets its whole budget again. */
const MOST = 10_000;

/** Takes one Event from the budget of a namespace; returns false when nothing is left. */
export type TakeOfNamespace = (namespace: string) => boolean;

/** Creates the budget of each namespace, so that no namespace can fill the ledger. `now` is in milliseconds. */
export function createNamespaceRate(now: () => number = Date.now): TakeOfNamespace {
  const left = new Map<string, { tokens: number; at: number }>();
  return (namespace) => {
    const before = left.get(namespace) ?? { tokens: AT_ONCE, at: now() };
    const at = Math.max(before.at, now());
    const tokens = Math.min(AT_ONCE, before.tokens + ((at - before.at) / 1000) * PER_SECOND);
    const isLeft = tokens >= 1;
    left.delete(namespace);
    left.set(namespace, { tokens: isLeft ? tokens - 1 : tokens, at });
    dropOldest(left, MOST);
    return isLeft;
  };
}
