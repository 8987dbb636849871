import { useSyncExternalStore } from 'react';

/**
 * True when the API responds. `since` is the time at which the API stopped responding, in milliseconds since 1970;
 * null while it responds.
 */
interface Reachability {
  since: number | null;
}

let known: Reachability = { since: null };
const listeners = new Set<() => void>();

function set(since: number | null): void {
  if (known.since === since) return;
  known = { since };
  for (const each of listeners) each();
}

/** Notes that the API has responded. */
export function markReachable(): void {
  set(null);
}

/** Notes that no response came, or that a proxy answered for an API that does not respond. */
export function markUnreachable(now = Date.now()): void {
  set(known.since ?? now);
}

/** Statuses with which a proxy says that the API does not respond. */
const OF_PROXIES = [502, 504];

/** Notes whether a response comes from the API. */
export function noteResponse({ status }: Response): void {
  if (OF_PROXIES.includes(status)) markUnreachable();
  else markReachable();
}

/** The time since which the API does not respond; null while it responds. */
export function useUnreachable(): number | null {
  return useSyncExternalStore(listen, () => known.since);
}

function listen(changed: () => void): () => void {
  listeners.add(changed);
  return () => void listeners.delete(changed);
}
