import { useSyncExternalStore, type ReactElement } from 'react';
import { localInstant, distanceText } from './instants.ts';

/** The time between two readings of the clock, in milliseconds. */
const TICK_MS = 1000;

/** The time since an instant; a tooltip shows the exact instant. */
export function TimeAgo({ at }: { at: string | null }): ReactElement | null {
  const now = useNow();
  if (at === null) return null;
  return (
    <time dateTime={new Date(at).toISOString()} title={localInstant(at)}>
      {distanceText(Date.parse(at), now)}
    </time>
  );
}

/** The present instant in milliseconds since 1970, rounded down to the second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, secondNow);
}

/** The present instant in milliseconds since 1970, rounded down to the second. */
function secondNow(): number {
  return Math.floor(Date.now() / TICK_MS) * TICK_MS;
}

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Adds a listener for each second, and returns the function that removes it; one timer serves all listeners. */
function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(changed);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
