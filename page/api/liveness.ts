import { useSyncExternalStore } from 'react';

/** The state of a stream; `open` means that new events arrive at once. */
export type LiveState = 'opening' | 'open' | 'lost';

let state: LiveState | null = null;
const listeners = new Set<() => void>();

/** Stores the state of the stream of events that the view follows; null when the view follows no stream. */
export function setLiveness(next: LiveState | null): void {
  state = next;
  for (const each of listeners) each();
}

/** The state of the stream of events that the view follows; null when the view follows no stream. */
export function useLiveness(): LiveState | null {
  return useSyncExternalStore(subscribe, () => state);
}

/** Adds a listener for changes of the state, and returns the function that removes it. */
function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => void listeners.delete(changed);
}
