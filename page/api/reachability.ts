import { useSyncExternalStore } from 'react';

/**
 * The state of the API. `since` is the time at which the API stopped responding, in milliseconds since 1970;
 * null while it responds.
 */
interface Reachability {
  since: number | null;
}

let known: Reachability = { since: null };
const listeners = new Set<() => void>();

/** Stores the time at which the API stopped responding, and calls the listeners. */
function setUnreachableSince(since: number | null): void {
  if (known.since === since) return;
  known = { since };
  for (const each of listeners) each();
}

/** Notes that the API has responded. */
export function markReachable(): void {
  setUnreachableSince(null);
}

/** Notes that the API has not responded, or that a proxy has responded instead of it. */
export function markUnreachable(now = Date.now()): void {
  setUnreachableSince(known.since ?? now);
}

/** The statuses that a proxy returns if the API does not respond. */
const OF_PROXIES = [502, 504];

/** Notes whether the API or a proxy has sent a response. */
export function noteResponse({ status }: Response): void {
  if (OF_PROXIES.includes(status)) markUnreachable();
  else markReachable();
}

/** The time at which the API stopped responding; null while the API responds. */
export function useUnreachable(): number | null {
  return useSyncExternalStore(subscribe, () => known.since);
}

/** Adds a listener for changes of the state, and returns the function that removes it. */
function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => void listeners.delete(changed);
}
