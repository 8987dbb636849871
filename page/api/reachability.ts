import { useSyncExternalStore } from 'react';

/** Whether the API responds. `since`: when it stopped, in milliseconds since 1970; null: it responds. */
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

/** A response came. */
export function reached(): void {
  set(null);
}

/** No response came, or one of a proxy whose API is away. */
export function notReached(now = Date.now()): void {
  set(known.since ?? now);
}

/** Statuses with which a proxy says that the API does not respond. */
const OF_PROXIES = [502, 504];

/** Notes what a response says about the API. */
export function noteResponse({ status }: Response): void {
  if (OF_PROXIES.includes(status)) notReached();
  else reached();
}

/** Since when the API does not respond; null: it does. */
export function useUnreachable(): number | null {
  return useSyncExternalStore(listen, () => known.since);
}

function listen(changed: () => void): () => void {
  listeners.add(changed);
  return () => void listeners.delete(changed);
}
