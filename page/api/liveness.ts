import { useSyncExternalStore } from 'react';

/** The state of a stream; `open` means that new events arrive at once. */
export type LiveState = 'opening' | 'open' | 'lost';

let state: LiveState | null = null;
const listeners = new Set<() => void>();

/** The state of the stream of events that the view follows; null when it follows no stream. */
export function setLiveness(next: LiveState | null): void {
  state = next;
  for (const each of listeners) each();
}

export function useLiveness(): LiveState | null {
  return useSyncExternalStore(subscribe, () => state);
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => void listeners.delete(changed);
}
